import { hash } from 'node:crypto'
import { advisoriesOf, isCve } from './advisory.ts'

/** Content of a finding that says which flaw it is. */
export interface FlawFinding {
  projectId: number
  uuid: string
  reportType: string
  packageKey: string | null
  packageName: string | null
  location: object
  /** External types and ids in the order of the report. */
  identifiers: readonly { externalType: string; externalId: string }[]
}

/** What the vulnerabilities of a group have in common. */
export type Flaw =
  | {
      kind: 'package'
      /** Canonical name of the advisory, or the scanner's name of the vulnerability. */
      name: string
      /** Package URL without version, or the name of a package whose ecosystem is unknown. */
      package: string | null
    }
  | {
      kind: 'location'
      projectId: number
      /** A weakness (CWE), `secret`, or the rule of a scanner. */
      family: string
      place: string
    }
  | { kind: 'single'; projectId: number; uuid: string }

/** Returns the flaw of a finding, given the canonical names of advisories that have another one. */
export function flawOf(finding: FlawFinding, canonical: ReadonlyMap<string, string>): Flaw {
  const { projectId, uuid, packageKey, packageName } = finding
  const packageOf = packageKey ?? packageName
  const advisory = advisoryOf(finding, canonical)
  if (advisory !== undefined) return { kind: 'package', name: advisory, package: packageOf }
  const [primary] = finding.identifiers
  if (packageOf !== null && primary) return { kind: 'package', name: ruleOf(primary), package: packageOf }
  const [family, place] = [familyOf(finding), placeOf(finding.location)]
  if (family === undefined || place === undefined) return { kind: 'single', projectId, uuid }
  return { kind: 'location', projectId, family, place }
}

/** Returns the key of a flaw: a positive number below 2^52. */
export function keyOfFlaw(flaw: Flaw): number {
  return keyOf(
    flaw.kind === 'package'
      ? [flaw.kind, flaw.name, flaw.package]
      : flaw.kind === 'location'
        ? [flaw.kind, flaw.projectId, flaw.family, flaw.place]
        : [flaw.kind, flaw.projectId, flaw.uuid],
  )
}

/** Hashes parts to a positive number of 52 bits, which JavaScript and both databases represent exactly. */
function keyOf(parts: readonly (string | number | null)[]): number {
  return Number.parseInt(hash('sha256', JSON.stringify(parts)).slice(0, 13), 16) || 1
}

/** A single CVE is the name of the vulnerability. Otherwise the first advisory is, which scanners list first. */
function advisoryOf({ identifiers }: FlawFinding, canonical: ReadonlyMap<string, string>): string | undefined {
  const names = advisoriesOf(identifiers.map(({ externalId }) => externalId))
  const [cve, another] = names.filter(isCve)
  if (cve !== undefined && another === undefined) return cve
  const [first] = names
  return first === undefined ? undefined : (canonical.get(first) ?? first)
}

const ruleOf = ({ externalType, externalId }: FlawFinding['identifiers'][number]) =>
  `${externalType.toLowerCase()}:${externalId.toLowerCase()}`

/** Weaknesses that CWE lists as kinds of another one, under which scanners report the same code. */
const parents: Record<number, number> = {
  ...{ 23: 22, 24: 22, 35: 22, 36: 22, 73: 22 },
  ...{ 80: 79, 81: 79, 83: 79, 84: 79, 85: 79, 86: 79, 87: 79, 116: 79 },
  ...{ 88: 78, 564: 89, 95: 94, 96: 94 },
  ...{ 259: 798, 321: 798, 326: 327, 328: 327, 916: 327, 338: 330 },
}

/** Returns the weakness with the lowest number, so that the order of identifiers does not matter. */
function familyOf({ reportType, identifiers }: FlawFinding): string | undefined {
  if (reportType === 'secret_detection') return 'secret'
  const weaknesses = identifiers.flatMap(({ externalType, externalId }) => {
    const number = externalType.toLowerCase() === 'cwe' ? /^(?:CWE-)?(\d{1,5})$/i.exec(externalId)?.[1] : undefined
    return number === undefined ? [] : (parents[Number(number)] ?? Number(number))
  })
  if (weaknesses.length > 0) return `CWE-${Math.min(...weaknesses)}`
  const [primary] = identifiers
  return primary && ruleOf(primary)
}

/** Returns the place of a finding: file and first line, or the address and parameter of a web application. */
function placeOf(location: object): string | undefined {
  // Reports differ in the fields of locations, so each is checked.
  const fields = location as { [name: string]: unknown }
  const textOf = (name: string) => {
    const value = fields[name]
    return typeof value === 'string' || typeof value === 'number' ? `${value}` : ''
  }
  const file = textOf('file').replace(/^(?:\.?\/)+/, '')
  if (file) return `${file}:${textOf('start_line')}`
  const path = textOf('path')
  if (!path && !textOf('hostname')) return undefined
  return `${textOf('method').toUpperCase()} ${textOf('hostname')}${path} ${textOf('param')}`.trim()
}
