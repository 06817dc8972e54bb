/**
 * The texts of the scenarios that ship, which are the files of the folder beside this module. The sources read them there;
 * build.mjs replaces this module with their texts.
 */
import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('scenarios/', import.meta.url)

/** The texts by the names of the scenarios, in the order in which they are told of. */
export const texts: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(folder)
    .sort()
    .map((file) => [file.replace(/\.yaml$/, ''), readFileSync(new URL(file, folder), 'utf8')]),
)
