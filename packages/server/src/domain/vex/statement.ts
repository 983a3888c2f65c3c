import { reportRejected } from '../../platform/failure.ts'
import type { DismissalReason } from '../findings/scales.ts'

export const vexFormats = ['openvex', 'cyclonedx', 'csaf'] as const
export type VexFormat = (typeof vexFormats)[number]

export const vexStatuses = ['not_affected', 'affected', 'fixed', 'under_investigation'] as const
export type VexStatus = (typeof vexStatuses)[number]

/** A statement about a vulnerability in products, independent of the format of its document. */
export interface VexStatement {
  /** JSON pointer in the document. */
  pointer: string
  /** Address of the vulnerability in Alcove, if an export of Alcove wrote the statement. */
  about: string | undefined
  /** Ids and aliases of the vulnerability, the primary one first. */
  ids: string[]
  /** Package URLs or other ids of the affected components. Empty: every component of the products. */
  components: string[]
  /** Package URLs or other ids of the products. */
  products: string[]
  status: VexStatus
  /** Reason of the dismissal that the justification means. */
  dismissalReason: DismissalReason
  justification: string | undefined
  /** Explanation in words. */
  detail: string | undefined
  /** ISO 8601; undefined when the document states no time. */
  timestamp: string | undefined
}

export interface VexDocument {
  format: VexFormat
  id: string | undefined
  statements: VexStatement[]
}

/** The reasons of dismissals by the justifications of all three formats. */
const reasons: Readonly<Record<string, DismissalReason>> = {
  // OpenVEX and CSAF
  component_not_present: 'false_positive',
  vulnerable_code_not_present: 'false_positive',
  vulnerable_code_not_in_execute_path: 'not_applicable',
  vulnerable_code_cannot_be_controlled_by_adversary: 'not_applicable',
  inline_mitigations_already_exist: 'mitigating_control',
  // CycloneDX
  code_not_present: 'false_positive',
  code_not_reachable: 'not_applicable',
  requires_configuration: 'not_applicable',
  requires_dependency: 'not_applicable',
  requires_environment: 'not_applicable',
  protected_by_compiler: 'mitigating_control',
  protected_at_runtime: 'mitigating_control',
  protected_at_perimeter: 'mitigating_control',
  protected_by_mitigating_control: 'mitigating_control',
}

export const reasonOf = (justification: string | undefined): DismissalReason =>
  (justification !== undefined && Object.hasOwn(reasons, justification) ? reasons[justification] : undefined) ??
  'not_applicable'

/** Returns the failure for a document that cannot be read or applied. */
export const rejectedVex = (message: string) => reportRejected([{ type: 'Format', message, pointer: '' }])
