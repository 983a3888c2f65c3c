import { parsePackageUrl } from '../../../findings/package-url.ts'
import type { ReportType } from '../../../findings/scales.ts'
import { InvalidProjectFile } from '../project-file.ts'
import {
  dayOf,
  isObject,
  isPlainGlob,
  onlyVersion,
  openRules,
  type ParsedRules,
  type Rules,
  textOf,
} from './ignored.ts'
import { readYaml, type YamlFile } from './read-yaml.ts'

const scanners = ['trivy']
/** Maximum number of values of a condition. */
const maxValues = 1_000

/** Parses `.trivyignore`: an identifier on each line, with the last day after `exp:`. Lines with the same day are one rule. */
export function parseTrivyIgnore(text: string): ParsedRules {
  const rules = openRules('.trivyignore')
  const byDay = new Map<string, { line: number; ids: Set<string> }[]>()
  for (const [index, whole] of text.split('\n').entries()) {
    const line = index + 1
    const [content = ''] = whole.split('#', 1)
    const [id, ...words] = content.trim().split(/\s+/)
    if (!id) continue
    textOf(id, line, 'the identifier')
    let until = ''
    for (const word of words) {
      if (!word.startsWith('exp:')) throw new InvalidProjectFile(line, `${word.slice(0, 100)} is not exp: and a date`)
      until = dayOf(word.slice('exp:'.length), line, 'exp') ?? ''
    }
    const groups = byDay.get(until) ?? []
    byDay.set(until, groups)
    const last = groups.at(-1)
    if (last?.ids.has(id)) continue
    if (last && last.ids.size < maxValues) last.ids.add(id)
    else groups.push({ line, ids: new Set([id]) })
  }
  for (const [until, groups] of byDay) {
    for (const { line, ids } of groups) {
      const title = ids.size === 1 ? [...ids].join('') : `${ids.size} identifiers`
      rules.ignore({ line, title, match: { identifiers: [...ids], scanners }, until })
    }
  }
  return rules.parsed
}

const reportTypesOf: Readonly<Record<string, readonly ReportType[]>> = {
  vulnerabilities: ['container_scanning', 'dependency_scanning'],
  misconfigurations: ['sast'],
  secrets: ['secret_detection'],
}

/** Parses `.trivyignore.yaml`. */
export function parseTrivyIgnoreYaml(text: string): ParsedRules {
  const rules = openRules('.trivyignore.yaml')
  const file = readYaml(text)
  for (const [section, entries] of Object.entries(file.value)) {
    const line = file.lineOf([section])
    const reportTypes = reportTypesOf[section]
    if (section === 'licenses') rules.warn(line, 'licenses are no findings here, so these entries have no effect')
    else if (!reportTypes) throw new InvalidProjectFile(line, `${section.slice(0, 100)} is not known`)
    else if (entries !== null) {
      if (!Array.isArray(entries)) throw new InvalidProjectFile(line, `${section} must be a list`)
      for (const [index, entry] of entries.entries())
        readEntry(rules, file, { entry, reportTypes, path: [section, index] })
    }
  }
  return rules.parsed
}

interface Entry {
  entry: unknown
  reportTypes: readonly ReportType[]
  path: readonly (string | number)[]
}

const known = new Set(['id', 'paths', 'purls', 'expired_at', 'statement'])

function readEntry(rules: Rules, file: YamlFile, { entry, reportTypes, path }: Entry): undefined {
  const line = file.lineOf(path)
  if (!isObject(entry)) throw new InvalidProjectFile(line, 'an entry must be a mapping')
  const id = textOf(entry['id'], line, 'id')
  if (id === undefined) throw new InvalidProjectFile(line, 'an entry has no id')
  const unknown = Object.keys(entry).find((name) => !known.has(name))
  if (unknown !== undefined) return rules.warn(line, `${id}: ${unknown} is not supported, so the entry has no effect`)
  const base = {
    title: id,
    line,
    comment: textOf(entry['statement'], line, 'statement'),
    until: dayOf(entry['expired_at'], line, 'expired_at'),
  }
  const paths = textsOf(entry['paths'], line, 'paths')
  if (paths?.some((glob) => !isPlainGlob(glob))) {
    return rules.warn(line, `${id}: paths with [], {}, ! or \\ are not supported, so the entry has no effect`)
  }
  const match = { identifiers: [id], scanners, reportTypes, ...(paths && { paths }) }
  const purls = textsOf(entry['purls'], line, 'purls')
  if (!purls) return rules.ignore({ ...base, match })
  for (const url of purls) {
    const of = packageMatch(url)
    if (of) rules.ignore({ ...base, match: { ...match, ...of } })
    else rules.warn(line, `${id}: ${url} is no package URL with a comparable version, so it has no effect`)
  }
}

/** Returns the conditions on a package URL. Qualifiers would be lost, so a URL with them is none. */
function packageMatch(url: string): { packages: string[]; versionRange?: string } | undefined {
  const split = /[?#]/.test(url) ? undefined : parsePackageUrl(url)
  if (!split) return undefined
  if (!split.version) return { packages: [split.key] }
  const versionRange = onlyVersion(split.version)
  return versionRange === undefined ? undefined : { packages: [split.key], versionRange }
}

function textsOf(value: unknown, line: number, name: string): string[] | undefined {
  if (value === undefined || value === null) return undefined
  if (!Array.isArray(value) || value.length > maxValues) throw new InvalidProjectFile(line, `${name} must be a list`)
  const texts = value.map((one) => textOf(one, line, name))
  if (texts.some((text) => text === undefined)) throw new InvalidProjectFile(line, `${name} has an empty value`)
  return texts.length === 0 ? undefined : texts.filter((text) => text !== undefined)
}
