import { allocateMapped } from '../../../platform/mapped-buffer.ts'
import { type Severity, severities } from '../../findings/scales.ts'
import type { Decision, Presence } from './decision.ts'
import { type IdSet, idSetOf } from './id-set.ts'

/** Decisions in their order. Can be read any number of times. */
export type Decisions = DecisionList | readonly Decision[]

export interface DecisionList extends Iterable<Decision> {
  push(decision: Decision): void
}

const presences: readonly Presence[] = ['newOnRef', 'reappeared', 'newInCategory', 'unchanged']
/** Code of a decision stored as an object; first code of new findings, one per severity, and of observed ones, one per presence. */
const [otherCode, firstNewCode, firstObservedCode] = [0, 1, 1 + severities.length]
/** Number of decisions in a chunk, whose 272 KiB are enough for a mapped buffer. */
const chunkLength = 16_384

interface Chunk {
  codes: Uint8Array
  findingIds: Float64Array
  /** 0 for none. */
  vulnerabilityIds: Float64Array
}

/**
 * Returns an empty list. Most decisions of a large report differ in their ids only; those take 17 bytes each, where an
 * object takes about 60.
 */
export function openDecisionList(): DecisionList {
  const chunks: Chunk[] = []
  const others = new Map<number, Decision>()
  let length = 0

  return {
    push(decision) {
      const at = length++
      if (at % chunkLength === 0) chunks.push(createChunk())
      const chunk = chunks.at(-1) as Chunk // created above or by an earlier call
      const code = codeOf(decision)
      if (code === otherCode) others.set(at, decision)
      chunk.codes[at % chunkLength] = code
      chunk.findingIds[at % chunkLength] = decision.findingId
      const vulnerabilityId = 'vulnerabilityId' in decision && decision.vulnerabilityId
      // Skips zeros, so that the system allocates no pages for them.
      if (vulnerabilityId) chunk.vulnerabilityIds[at % chunkLength] = vulnerabilityId
    },
    *[Symbol.iterator]() {
      for (let at = 0; at < length; at++) {
        const chunk = chunks[Math.floor(at / chunkLength)] as Chunk // created by `push`
        yield others.get(at) ?? decisionFrom(chunk, at % chunkLength)
      }
    },
  }
}

function createChunk(): Chunk {
  const idsBytes = chunkLength * Float64Array.BYTES_PER_ELEMENT
  const buffer = allocateMapped(2 * idsBytes + chunkLength)
  return {
    findingIds: new Float64Array(buffer, 0, chunkLength),
    vulnerabilityIds: new Float64Array(buffer, idsBytes, chunkLength),
    codes: new Uint8Array(buffer, 2 * idsBytes),
  }
}

/** Returns the code of a decision; `otherCode` if it has more than its kind, ids, and severity or presence. */
function codeOf(decision: Decision): number {
  if (decision.kind === 'new') {
    const { staged, summary, suppression, severity } = decision
    return staged || summary || suppression ? otherCode : firstNewCode + severities.indexOf(severity)
  }
  if (decision.kind === 'observed') {
    const { content, suppression, presence } = decision
    return content || suppression ? otherCode : firstObservedCode + presences.indexOf(presence)
  }
  return otherCode
}

function decisionFrom({ codes, findingIds, vulnerabilityIds }: Chunk, index: number): Decision {
  const [code = 0, findingId = 0] = [codes[index], findingIds[index]]
  if (code < firstObservedCode) {
    return { kind: 'new', findingId, severity: severities[code - firstNewCode] as Severity } // encoded by `codeOf`
  }
  return {
    kind: 'observed',
    findingId,
    vulnerabilityId: vulnerabilityIds[index] || null,
    presence: presences[code - firstObservedCode] as Presence, // encoded by `codeOf`
  }
}

/** Returns the ids of the known findings in the report. */
export function observedIds(decisions: Decisions): IdSet {
  const isKnown = ({ kind }: Decision) => kind === 'observed' || kind === 'moved'
  let count = 0
  for (const decision of decisions) if (isKnown(decision)) count++
  const ids = new Float64Array(count)
  for (const decision of decisions) if (isKnown(decision)) ids[--count] = decision.findingId
  return idSetOf(ids)
}
