import type { Permission } from '../../../domain/access/permissions.ts'
import type { DismissalReason, Severity } from '../../../domain/findings/scales.ts'
import type { Project } from '../../../domain/projects/project.ts'
import type { Change } from '../../../domain/vulnerabilities/triage/change.ts'
import { changeVulnerability, withFinding } from '../../../domain/vulnerabilities/triage/triage.ts'
import type { Vulnerability, VulnerabilityWithFinding } from '../../../domain/vulnerabilities/vulnerability.ts'
import type { Context, SchemaPart } from '../context.ts'
import { changeSelected } from './change-selected.ts'
import { callerOf, isUnchanged, type MutationInput, mutationTypes, payloadOf, permitWrite } from './mutation.ts'

const dismissal = `  comment: String
  dismissalReason: VulnerabilityDismissalReason`
const oneId = '  id: VulnerabilityID!'
const manyIds = '  "At most 100."\n  vulnerabilityIds: [VulnerabilityID!]!'
const one = '  "The vulnerability, also if it was in the requested state already."\n  vulnerability: Vulnerability'
const many = '  vulnerabilities: [Vulnerability!]'

interface OneInput extends MutationInput {
  id: number
  comment?: string | null
  dismissalReason?: string | null
}

interface ManyInput extends MutationInput {
  vulnerabilityIds: number[]
  comment?: string | null
  dismissalReason?: string | null
}

const commentOf = ({ comment }: Pick<OneInput, 'comment'>) => (comment?.trim() ? comment : undefined)

function dismissalOf(input: Pick<OneInput, 'comment' | 'dismissalReason'>): Change {
  // Each value of the enum is a word of the scales.
  const dismissalReason = input.dismissalReason?.toLowerCase() as DismissalReason | undefined
  return { action: 'dismiss', comment: commentOf(input), dismissalReason }
}

/** Changes the state of one vulnerability. */
function transition(permission: Permission, changeOf: (input: OneInput) => Change) {
  return async (_: unknown, { input }: { input: OneInput }, context: Context) => {
    const { user } = callerOf(context)
    const resources = await permitWrite(context, permission, input.id)
    const { project, vulnerability } = resources as { project: Project; vulnerability: Vulnerability } // of these rows
    return payloadOf(input, async () => {
      const change = changeOf(input)
      try {
        const changed = await changeVulnerability(context.deps, project, user, { id: vulnerability.id, change })
        return { vulnerability: changed, errors: awaitedApprovals(change, [changed]) }
      } catch (error) {
        if (!isUnchanged(error)) throw error
        return { vulnerability: await withFinding(context.deps, vulnerability) }
      }
    })
  }
}

/** Changes vulnerabilities of any projects, all or none. */
function bulk<Input extends ManyInput>(changeOf: (input: Input) => Change) {
  return (_: unknown, { input }: { input: Input }, context: Context) =>
    payloadOf(input, async () => {
      const change = changeOf(input)
      const vulnerabilities = await changeSelected(context, input.vulnerabilityIds, change)
      return { vulnerabilities, errors: awaitedApprovals(change, vulnerabilities) }
    })
}

/** Returns a sentence for each dismissal that awaits approval, because clients take an empty list for a success. */
function awaitedApprovals({ action }: Change, changed: readonly VulnerabilityWithFinding[]): string[] {
  if (action !== 'dismiss') return []
  return changed.flatMap(({ vulnerability: { id, dismissalRequestId } }) =>
    dismissalRequestId === null
      ? []
      : `The dismissal of vulnerability ${id} awaits the approval of a second person (request ${dismissalRequestId})`,
  )
}

const simple = (action: 'confirm' | 'resolve' | 'revert') =>
  transition(`vulnerability.${action}`, (input) => ({ action, comment: commentOf(input) }))

export const triageSchema: SchemaPart = {
  types: [
    mutationTypes('vulnerabilityConfirm', `${oneId}\n  comment: String`, one),
    mutationTypes('vulnerabilityResolve', `${oneId}\n  comment: String`, one),
    mutationTypes('vulnerabilityRevertToDetected', `${oneId}\n  comment: String`, one),
    mutationTypes('vulnerabilityDismiss', `${oneId}\n${dismissal}`, one),
    mutationTypes('vulnerabilitiesDismiss', `${manyIds}\n${dismissal}`, many),
    mutationTypes(
      'vulnerabilitiesSeverityOverride',
      `${manyIds}\n  severity: VulnerabilitySeverity!\n  comment: String!`,
      many,
    ),
  ].join(''),
  resolvers: {
    Mutation: {
      vulnerabilityConfirm: simple('confirm'),
      vulnerabilityResolve: simple('resolve'),
      vulnerabilityRevertToDetected: simple('revert'),
      vulnerabilityDismiss: transition('vulnerability.dismiss', dismissalOf),
      vulnerabilitiesDismiss: bulk(dismissalOf),
      vulnerabilitiesSeverityOverride: bulk<ManyInput & { severity: string }>((input) => ({
        action: 'severity',
        severity: input.severity.toLowerCase() as Severity, // each value of the enum is a word of the scales
        comment: commentOf(input),
      })),
    },
  },
}
