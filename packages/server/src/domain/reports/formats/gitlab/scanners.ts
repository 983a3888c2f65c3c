import { objectOf, textOf } from '../fields/json-fields.ts'
import { shorten } from '../fields/shorten.ts'
import type { Analyzer, JsonObject, Scanner } from '../report.ts'
import type { Major } from './versions.ts'

/** Creates a reader of scanners. Equal scanners are the same object. */
export function startScanners(
  scan: JsonObject | undefined,
  major: Major,
): {
  ofScan: Scanner | undefined
  /** Returns the scanner of a vulnerability. Only 14.x has one per vulnerability; later versions have one per scan. */
  of: (vulnerability: JsonObject) => Scanner | undefined
} {
  const known = new Map<string, Scanner>()
  const read = (value: unknown, scanScanner?: Scanner): Scanner | undefined => {
    const tool = objectOf(value)
    const id = textOf(tool?.id)
    if (!tool || !id) return undefined
    // The database index limits the length.
    const externalId = shorten(id, 255)
    const same = scanScanner?.externalId === externalId ? scanScanner : undefined
    const scanner: Scanner = {
      externalId,
      name: shorten(textOf(tool.name) ?? externalId, 255),
      vendor: shorten(textOf(objectOf(tool.vendor)?.name) ?? same?.vendor ?? 'GitLab', 255),
      version: textOf(tool.version) ?? same?.version,
    }
    const key = JSON.stringify(scanner)
    if (!known.has(key)) known.set(key, scanner)
    return known.get(key)
  }
  const ofScan = read(scan?.scanner)
  const own = (vulnerability: JsonObject) => (major === 14 ? read(vulnerability.scanner, ofScan) : undefined)
  return { ofScan, of: (vulnerability) => own(vulnerability) ?? ofScan }
}

/** Reads an analyzer; incomplete ones are ignored. */
export function readAnalyzer(value: unknown): Analyzer | undefined {
  const tool = objectOf(value)
  const externalId = textOf(tool?.id)
  const name = textOf(tool?.name)
  const version = textOf(tool?.version)
  const vendor = textOf(objectOf(tool?.vendor)?.name)
  return externalId && name && version && vendor ? { externalId, name, vendor, version } : undefined
}
