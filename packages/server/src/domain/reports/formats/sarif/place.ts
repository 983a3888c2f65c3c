import { lineNumberOf } from '../code-place.ts'
import { objectOf, objectsOf, textOf } from '../json-fields.ts'
import type { JsonObject } from '../report.ts'
import { decodedUri } from '../uri.ts'
import { joinUri, type Run } from './run.ts'

export interface Place {
  file: string | undefined
  startLine: number | undefined
  endLine: number | undefined
  snippet: string | undefined
  /** The function or class around it. */
  symbol: string | undefined
  /** Numbers below 1 stood where lines are meant. */
  isOdd: boolean
}

/** Where a result is: its first location, as everywhere; the others stay in the raw entry. */
export function placeOf(result: JsonObject, run: Run): Place {
  const locations = objectsOf(result.locations)
  const location = locations.find(({ physicalLocation }) => objectOf(physicalLocation)) ?? locations[0] ?? {}
  const physical = objectOf(location.physicalLocation) ?? {}
  const region = objectOf(physical.region) ?? {}
  const startLine = lineNumberOf(region.startLine)
  // The standard's default, so that tools that leave it out and tools that do not mean one place.
  const endLine = lineNumberOf(region.endLine) ?? startLine
  const logical = objectsOf(location.logicalLocations)[0] ?? {}
  const [snippet] = [region, objectOf(physical.contextRegion)]
    .map((part) => textOf(objectOf(part?.snippet)?.text))
    .filter(Boolean)
  return {
    file: fileOf(physical, run),
    startLine,
    endLine,
    snippet,
    symbol: textOf(logical.fullyQualifiedName) ?? textOf(logical.name),
    isOdd: [region.startLine, region.endLine].some((line) => line !== undefined && lineNumberOf(line) === undefined),
  }
}

/** The path within the repository, as far as it can be known; never looked up. */
function fileOf(physical: JsonObject, { artifactOf, bases, roots }: Run): string | undefined {
  const direct = objectOf(physical.artifactLocation) ?? {}
  const listed = objectOf(artifactOf(direct.index)?.location) ?? {}
  const uri = textOf(direct.uri) ?? textOf(listed.uri)
  if (uri === undefined) return undefined
  const path = joinUri(bases.get(textOf(direct.uriBaseId) ?? textOf(listed.uriBaseId) ?? '') ?? '', uri)
  // The root of the repository lies elsewhere on every machine; only what is below it counts.
  const root = roots.find((root) => path.startsWith(root))
  return decodedUri(root === undefined ? path : path.slice(root.length).replace(/^\/+/, ''))
}
