/**
 * The look of all pages, which are the files of console/look. The sources read them there; build.mjs replaces this module
 * with their texts.
 */
import { readFileSync } from 'node:fs'

const read = (name: string) => readFileSync(new URL(`../../console/look/${name}`, import.meta.url), 'utf8')

/** The design tokens of all pages, as a style sheet. */
export const tokens: string = read('tokens.css')

/** The logo as SVG. */
export const logo: string = read('logo.svg').trim()

/** The mark as SVG. It is the icon of every page. */
export const mark: string = read('mark.svg').trim()
