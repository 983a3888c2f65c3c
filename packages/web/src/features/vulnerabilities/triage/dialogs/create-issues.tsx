import type { BodyOf, ResponseOf } from '@alcove/client'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Button } from '../../../../components/button.tsx'
import { Dialog, DialogActions } from '../../../../components/overlay/dialog.tsx'
import { QueryResult } from '../../../../components/page/states.tsx'
import { api, queries, useApiQuery } from '../../../../data/api.ts'
import { createKeyring } from '../../../../data/idempotency-keys.ts'
import { useToast } from '../../../../data/toasts.ts'
import { trackerInWords } from '../../../../nouns/tracker/tracker.ts'
import type { Owner, VulnerabilityRow } from '../../../../nouns/vulnerability/owner.ts'
import { texts as listTexts } from '../../texts.ts'
import type { Target } from '../triage-change.ts'
import { texts } from './texts.ts'

const operation = 'POST /projects/{id}/vulnerabilities/issues'
type Result = ResponseOf<typeof operation>

/** Selected vulnerabilities of one project. */
interface Part {
  projectId: number
  /** Absent in the list of a project. */
  projectName?: string
  body: BodyOf<typeof operation>
}

/** What the server did, or would do, for the vulnerabilities of one project. */
type Outcome = { part: Part } & ({ result: Result } | { problem: string })

/** Button that creates issues of the selection. Absent in a project without a tracker. */
export function CreateIssues({ owner, target, onDone }: { owner: Owner; target: Target; onDone: () => void }) {
  // The dialog keeps the selection with which it was opened.
  const [asked, setAsked] = useState<Target>()
  const isProject = owner.kind === 'project'
  const trackers = useApiQuery(
    'GET /projects/{id}/issue_tracker',
    { path: { id: isProject ? owner.id : 0 } },
    { isEnabled: isProject },
  )
  if (isProject && !trackers.data?.effective) return null
  // Issues are created in the tracker of one project.
  if (!isProject && 'filter' in target) return null
  return (
    <>
      <Button size="small" onClick={() => setAsked(target)}>
        {texts.createIssues}
      </Button>
      {asked && (
        <IssuesDialog
          parts={partsOf(asked, owner)}
          onClose={() => setAsked(undefined)}
          onDone={() => {
            setAsked(undefined)
            onDone()
          }}
        />
      )}
    </>
  )
}

function partsOf(target: Target, owner: Owner): readonly Part[] {
  if ('filter' in target) {
    const { filter, count } = target
    if (owner.kind !== 'project') return []
    return [{ projectId: owner.id, body: { filter: { ...filter }, expected_count: count } }]
  }
  const rowsOf = new Map<number, VulnerabilityRow[]>()
  for (const row of target.rows) rowsOf.set(row.projectId, [...(rowsOf.get(row.projectId) ?? []), row])
  return [...rowsOf].map(([projectId, rows]) => ({
    projectId,
    ...(owner.kind !== 'project' && rows[0] && { projectName: rows[0].projectName }),
    body: { vulnerability_ids: rows.map(({ id }) => id) },
  }))
}

/** Dialog that shows the outcome of a dry run and then requests the issues. */
function IssuesDialog({ parts, onClose, onDone }: { parts: readonly Part[]; onClose: () => void; onDone: () => void }) {
  const toast = useToast()
  const keyring = useRef(createKeyring())
  const [isBusy, setBusy] = useState(false)
  const dryRun = useQuery({
    queryKey: ['dry run', operation, parts],
    queryFn: () => Promise.all(parts.map((part) => outcomeOf(part, (body) => send(part, { ...body, dry_run: true })))),
    gcTime: 0,
  })
  async function create(expected: readonly Outcome[]) {
    setBusy(true)
    const outcomes: Outcome[] = []
    for (const { part } of expected.filter(isPossible)) {
      const key = JSON.stringify(part)
      outcomes.push(await outcomeOf(part, (body) => keyring.current.use(key, (key) => send(part, body, key))))
    }
    setBusy(false)
    void queries.invalidateQueries()
    const failed = outcomes.some((outcome) => 'problem' in outcome)
    toast({ text: outcomes.map(doneInWords).join(' '), ...(failed && { kind: 'error' }) })
    if (!failed) onDone()
  }
  return (
    <Dialog isOpen onClose={onClose} title={texts.createIssues2} lead={texts.eachVulnerabilityGetsAnIssue}>
      <QueryResult query={dryRun}>
        {(expected) => (
          <>
            <ul className="stack-tight" aria-label={texts.whatWillBeCreated}>
              {expected.map((outcome) => (
                <li key={outcome.part.projectId}>{expectedInWords(outcome)}</li>
              ))}
            </ul>
            <DialogActions>
              <Button onClick={onClose}>{listTexts.cancel}</Button>
              <Button
                kind="primary"
                isBusy={isBusy}
                disabled={!expected.some(isPossible)}
                onClick={() => void create(expected)}
                data-first-focus=""
              >
                {texts.createIssues}
              </Button>
            </DialogActions>
          </>
        )}
      </QueryResult>
    </Dialog>
  )
}

const send = ({ projectId }: Part, body: Part['body'], idempotencyKey?: string): Promise<Result> =>
  api.call(operation, { path: { id: projectId }, body }, { ...(idempotencyKey !== undefined && { idempotencyKey }) })

async function outcomeOf(part: Part, request: (body: Part['body']) => Promise<Result>): Promise<Outcome> {
  try {
    return { part, result: await request(part.body) }
  } catch (error) {
    return { part, problem: (error as Error).message } // nothing else is thrown here
  }
}

const isPossible = (outcome: Outcome) => 'result' in outcome && outcome.result.requested > 0

const prefixOf = ({ projectName }: Part) => (projectName === undefined ? '' : `${projectName}: `)

function expectedInWords(outcome: Outcome): string {
  if ('problem' in outcome) return texts.noIssuesCanBeCreated(prefixOf(outcome.part), outcome.problem)
  const { requested, unchanged, tracker } = outcome.result
  const place = trackerInWords(tracker)
  return texts.newIssueIn(prefixOf(outcome.part), requested, place, unchangedInWords(unchanged))
}

function doneInWords(outcome: Outcome): string {
  if ('problem' in outcome) return texts.noIssuesWereCreated(prefixOf(outcome.part), outcome.problem)
  const { requested, unchanged } = outcome.result
  return texts.issueRequested(prefixOf(outcome.part), requested, unchangedInWords(unchanged))
}

function unchangedInWords(count: number): string {
  if (count === 0) return ''
  return texts.vulnerabilitiesAlreadyHaveOne(count)
}
