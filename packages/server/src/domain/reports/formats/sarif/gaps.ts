import { isObject, listOf, objectOf, objectsOf, textOf } from '../fields/json-fields.ts'
import type { Gaps } from '../gaps.ts'
import type { JsonObject } from '../report.ts'
import type { Run } from './run.ts'

/** Adds the gaps of a log. By the standard, a run without `results` has not recorded its results. */
export function addGaps(root: JsonObject, runs: readonly Run[], gaps: Gaps): void {
  if (listOf(root.inlineExternalProperties).length > 0) {
    gaps.add({}, 'a part of it is outside of its runs, which is not read', '/inlineExternalProperties')
  }
  for (const [index, run] of listOf(root.runs).entries()) {
    const pointer = `/runs/${index}`
    const scanner = runs[index]?.scanner.externalId
    if (!isObject(run)) gaps.add({}, 'a run is not an object', pointer)
    else addGapsOfRun(run, pointer, (reason, at) => gaps.add({ scanner }, reason, at))
  }
}

/** Properties whose content in an external file would be needed to read or identify the results. */
const neededParts = ['results', 'artifacts', 'driver', 'extensions', 'logicalLocations', 'invocations']

function addGapsOfRun(run: JsonObject, pointer: string, add: (reason: string, at: string) => void): void {
  const elsewhere = objectOf(run.externalPropertyFileReferences) ?? {}
  const missing = neededParts.filter((part) => Object.hasOwn(elsewhere, part))
  if (missing.length > 0) {
    add(`its ${missing.join(', ')} are in another file, which is not read`, `${pointer}/externalPropertyFileReferences`)
  } else if (!Array.isArray(run.results)) add('a run has no list of results', `${pointer}/results`)

  const mode = textOf(objectOf(run.properties)?.incrementalMode) ?? ''
  if (mode.split(',').includes('diff-informed')) {
    add('only what has changed was scanned', `${pointer}/properties/incrementalMode`)
  }
  const { invocations = [] } = run
  if (!Array.isArray(invocations) || !invocations.every(isObject)) {
    add('how a run ended cannot be read', `${pointer}/invocations`)
  }
  for (const [index, invocation] of listOf(invocations).entries()) {
    addGapsOfInvocation(objectOf(invocation) ?? {}, `${pointer}/invocations/${index}`, add)
  }
}

function addGapsOfInvocation(invocation: JsonObject, pointer: string, add: (reason: string, at: string) => void): void {
  const { executionSuccessful = true } = invocation
  if (executionSuccessful !== true) add('the scan failed', `${pointer}/executionSuccessful`)
  for (const key of ['exitSignalName', 'exitSignalNumber', 'processStartFailureMessage']) {
    if (invocation[key]) add('the scan was cut short', `${pointer}/${key}`)
  }
  for (const key of ['toolExecutionNotifications', 'toolConfigurationNotifications']) {
    const hasError = objectsOf(invocation[key]).some(({ level }) => level === 'error')
    if (hasError) add('the scanner reports an error', `${pointer}/${key}`)
  }
}

/** Returns the reason why a result may represent another finding: a part of its identity is missing or unreadable. */
export function doubtOf(result: JsonObject, run: Run): string | undefined {
  const { ruleId, rule, ruleIndex, locations } = result
  if ([ruleId, rule, ruleIndex].every((value) => value === undefined)) return 'it names no rule'
  if (ruleId !== undefined && typeof ruleId !== 'string') return 'its rule cannot be read'
  if (rule !== undefined && !isObject(rule)) return 'its rule cannot be read'
  if (locations === undefined || (Array.isArray(locations) && locations.length === 0)) return 'it names no location'
  const location = objectOf(listOf(locations)[0])
  return location && isReadable(location, run) ? undefined : 'its location cannot be read'
}

function isReadable({ physicalLocation, logicalLocations = [] }: JsonObject, run: Run): boolean {
  if (physicalLocation === undefined) return Array.isArray(logicalLocations)
  const { artifactLocation = {}, region = {} } = objectOf(physicalLocation) ?? { artifactLocation: null }
  if (!isObject(artifactLocation) || !isObject(region)) return false
  const { uri, index } = artifactLocation
  const isNamed = typeof uri === 'string' || (uri === undefined && (index === undefined || run.artifactOf(index)))
  const lines = [region.startLine, region.endLine]
  return Boolean(isNamed) && lines.every((line) => line === undefined || isLine(line))
}

const isLine = (line: unknown): boolean => Number.isSafeInteger(line) && Number(line) > 0
