import { objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import { lineNumberOf } from '../fields/line-numbers.ts'
import { decodedUri } from '../fields/uri.ts'
import type { JsonObject } from '../report.ts'
import { joinUri, type Run } from './run.ts'

export interface Place {
  file: string | undefined
  startLine: number | undefined
  endLine: number | undefined
  snippet: string | undefined
  /** Name of the enclosing function or class. */
  symbol: string | undefined
  /** True if a line number is below 1. */
  isOdd: boolean
}

/** Returns the first location of a result. The others stay in the raw entry. */
export function placeOf(result: JsonObject, run: Run): Place {
  const locations = objectsOf(result.locations)
  const location = locations.find(({ physicalLocation }) => objectOf(physicalLocation)) ?? locations[0] ?? {}
  const physical = objectOf(location.physicalLocation) ?? {}
  const region = objectOf(physical.region) ?? {}
  const startLine = lineNumberOf(region.startLine)
  // `endLine` defaults to `startLine` by the standard, so both spellings yield the same place.
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

/** Returns the path within the repository, derived from the log alone. */
function fileOf(physical: JsonObject, { artifactOf, bases, roots }: Run): string | undefined {
  const direct = objectOf(physical.artifactLocation) ?? {}
  const listed = objectOf(artifactOf(direct.index)?.location) ?? {}
  const uri = textOf(direct.uri) ?? textOf(listed.uri)
  if (uri === undefined) return undefined
  const path = joinUri(bases.get(textOf(direct.uriBaseId) ?? textOf(listed.uriBaseId) ?? '') ?? '', uri)
  // The repository root differs between machines, so only the path below it is kept.
  const root = roots.find((root) => path.startsWith(root))
  return decodedUri(root === undefined ? path : path.slice(root.length).replace(/^\/+/, ''))
}
