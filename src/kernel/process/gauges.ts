/** Gauges are numbers that are read when somebody asks how an installation is. Nobody's names are among their labels. */

/** One number, with a value for each label of its gauge. */
export interface Reading {
  readonly value: number
  readonly labels?: Readonly<Record<string, string>>
}

/** What a number means, and what tells it from others of the same name. */
export interface GaugeText {
  readonly help: string
  readonly labels?: readonly string[]
}

/** Gauges that are read together. */
export interface GaugeGroup<World> {
  /** It is named where reading it fails. */
  readonly name: string
  /** Descriptions by the names of the metrics. */
  readonly gauges: Readonly<Record<string, GaugeText>>
  /** Its statements take little time however much there is: they count in an index, or a bounded number of rows. */
  read(world: World): Promise<Readonly<Record<string, readonly Reading[]>>>
}

/** Defines them; each has its readings. */
export function defineGauges<World, const Names extends Readonly<Record<string, GaugeText>>>(
  name: string,
  gauges: Names,
  read: (world: World) => Promise<{ readonly [Name in keyof Names]: readonly Reading[] }>,
): GaugeGroup<World> {
  return { name, gauges, read }
}
