import { isRecord, parsed, textAt } from './place.ts'

/** Step of the way that data takes from its source to the flaw. */
export interface FlowStep {
  kind: 'source' | 'propagation' | 'sink'
  /** File and line, such as `src/app.ts:12`. */
  place: string
  text: string | undefined
  code: string | undefined
}

const maxFlows = 10

/** Returns the data flows of a result: those of GitLab's `code-flows`, or of SARIF in the raw data. */
export function dataFlowsIn(details: Record<string, unknown>, rawMetadata?: string): FlowStep[][] {
  const reported = Object.values(details).flatMap((detail) => (isCodeFlows(detail) ? recordsIn(detail['items']) : []))
  const flows = reported.length > 0 ? reported.map(gitlabSteps) : sarifFlows(rawMetadata)
  return flows.filter((steps) => steps.length > 1).slice(0, maxFlows)
}

export const isCodeFlows = (detail: unknown): detail is Record<string, unknown> =>
  isRecord(detail) && detail['type'] === 'code-flows'

// A list of lists has arrays as its items.
const recordsIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function gitlabSteps(nodes: unknown): FlowStep[] {
  return recordsIn(nodes).flatMap((node) => {
    const file = textAt(node, 'file_location', 'file_name')
    if (!file) return []
    const kind = textAt(node, 'node_type')
    return {
      kind: kind === 'source' || kind === 'sink' ? kind : 'propagation',
      place: withLine(file, textAt(node, 'file_location', 'line_start')),
      text: undefined,
      code: undefined,
    }
  })
}

function sarifFlows(rawMetadata: string | undefined): FlowStep[][] {
  const raw = rawMetadata === undefined ? undefined : parsed(rawMetadata)
  if (!isRecord(raw)) return []
  return recordsIn(raw['codeFlows']).map((flow) => {
    const [thread] = isRecord(flow) ? recordsIn(flow['threadFlows']) : []
    const places = isRecord(thread) ? recordsIn(thread['locations']) : []
    return places.flatMap((step, index) => sarifStep(step, index === 0, index === places.length - 1))
  })
}

function sarifStep(step: unknown, isFirst: boolean, isLast: boolean): FlowStep[] {
  const location = isRecord(step) ? step['location'] : undefined
  const physical = isRecord(location) ? location['physicalLocation'] : undefined
  const file = textAt(physical, 'artifactLocation', 'uri')
  if (!file) return []
  return [
    {
      kind: isFirst ? 'source' : isLast ? 'sink' : 'propagation',
      place: withLine(file, textAt(physical, 'region', 'startLine')),
      text: textAt(location, 'message', 'text'),
      code: textAt(physical, 'region', 'snippet', 'text')?.trim(),
    },
  ]
}

const withLine = (file: string, line: string | undefined) => (line === undefined ? file : `${file}:${line}`)
