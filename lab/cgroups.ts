/** The control groups of a lab: one for all of it and one for each host, with limits of memory. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const top = '/sys/fs/cgroup'
/** True when there is one hierarchy of groups, of version 2, instead of one for each controller. */
const isUnified = existsSync(join(top, 'cgroup.controllers'))

/** The controllers that limit hosts and their servers. */
const controllers: readonly string[] = ['cpu', 'cpuset', 'io', 'memory', 'pids']

/** The folders of hierarchies; links are other names of the same. */
const hierarchies = () =>
  isUnified
    ? [top]
    : readdirSync(top, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => join(top, name))

/** Makes the group of a lab, whose hosts together may use so many bytes. */
export function makeLabGroup(lab: string, bytes: number): void {
  if (isUnified) giveOn(top)
  for (const hierarchy of hierarchies()) make(join(hierarchy, lab))
  if (isUnified) giveOn(join(top, lab))
  limit(lab, bytes)
}

/** Makes the group of a host, which may use so many bytes. Returns its folders, which the first of its processes joins. */
export function makeHostGroup(lab: string, host: string, bytes: number): string[] {
  const folders = hierarchies().map((hierarchy) => join(hierarchy, lab, host))
  for (const folder of folders) make(folder)
  limit(join(lab, host), bytes)
  return folders
}

/** Names of labs that have groups. */
export function labGroups(prefix: string): string[] {
  const names = hierarchies().flatMap((hierarchy) => readdirSync(hierarchy).filter((name) => name.startsWith(prefix)))
  return [...new Set(names)]
}

/** Takes the groups of a lab away, whose processes have ended. */
export function removeLabGroup(lab: string): void {
  for (const hierarchy of hierarchies()) removeTree(join(hierarchy, lab))
}

/** Takes the groups of a host away, whose processes have ended. */
export function removeHostGroup(lab: string, host: string): void {
  removeLabGroup(join(lab, host))
}

/** Gives what hosts are limited by to the groups within a folder, which have only what it gives them. */
function giveOn(folder: string): void {
  const namesIn = (file: string) => readFileSync(join(folder, file), 'utf8').split(/\s+/)
  const given = namesIn('cgroup.subtree_control')
  const names = namesIn('cgroup.controllers').filter((name) => controllers.includes(name) && !given.includes(name))
  if (names.length > 0) writeFileSync(join(folder, 'cgroup.subtree_control'), names.map((name) => `+${name}`).join(' '))
}

function make(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const hierarchy = join(folder, '..')
  // A group of the controller `cpuset` takes no process before it has processors and memory.
  for (const file of ['cpuset.cpus', 'cpuset.mems']) {
    const path = join(folder, file)
    if (!isUnified && existsSync(path)) writeFileSync(path, readFileSync(join(hierarchy, file)))
  }
  const clone = join(folder, 'cgroup.clone_children')
  if (!isUnified && existsSync(clone) && existsSync(join(folder, 'cpuset.cpus'))) writeFileSync(clone, '1')
}

function limit(group: string, bytes: number): void {
  const path = isUnified ? join(top, group, 'memory.max') : join(top, 'memory', group, 'memory.limit_in_bytes')
  writeFileSync(path, `${bytes}`)
}

function removeTree(folder: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) removeTree(path)
  }
  rmdirSync(folder)
}
