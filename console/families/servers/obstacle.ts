/** Says in words why a type cannot be had. */
import { common as c } from '../../words/common.ts'
import { list, number } from '../../words/format.ts'
import type { Obstacle } from './draft.ts'
import { newServer as w } from './new.words.ts'

export function obstacleText(obstacle: Obstacle, location: string): string {
  const places = (names: readonly string[]) => list(names, c.andMore)
  switch (obstacle.kind) {
    case 'architecture':
      return w.cannot.architecture(w.chips[obstacle.has] ?? obstacle.has, w.chips[obstacle.wanted] ?? obstacle.wanted)
    case 'elsewhere':
      return w.cannot.elsewhere(places(obstacle.places))
    case 'full':
      return w.cannot.full(location, places(obstacle.places))
    case 'disk':
      return w.cannot.disk(number(obstacle.needed))
    case 'ended':
      return w.cannot.ended
  }
}
