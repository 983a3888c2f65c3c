import type { ResponseOf } from '@alcove/client'
import { useRef, useState } from 'react'
import { Button } from '../../../../components/button.tsx'
import { ConfirmDialog, Dialog, DialogActions } from '../../../../components/overlay/dialog.tsx'
import { ProgressBar } from '../../../../components/progress-bar.tsx'
import { api, queries } from '../../../../data/api.ts'
import { createKeyring } from '../../../../data/idempotency-keys.ts'
import { useToast } from '../../../../data/toasts.ts'
import { waitingInWords } from '../../../../nouns/finding/triage-backlog.ts'
import type { InstanceScope } from '../../../../nouns/vulnerability/owner.ts'
import { texts as listTexts } from '../../texts.ts'
import { pollPromotion } from '../promotion.ts'
import { texts } from './texts.ts'

type Outcome = ResponseOf<'POST /vulnerability_finding_promotions'>

/** Projects whose findings are accepted: those of a group, or the selected ones of the whole server. */
export type AcceptScope = { groupId: number } | InstanceScope

interface Totals {
  /** Number of findings that were handled. */
  done: number
  total: number
  promoted: number
  /** Projects in which the promotion stopped. */
  failed: string[]
}

/** Button that accepts all findings that need triage, in each project in which the user may. */
export function AcceptAll({ scope, waiting }: { scope: AcceptScope; waiting: number }) {
  const [isOpen, setOpen] = useState(false)
  const { start, isBusy, totals, outcome, reset } = useAcceptAll(scope, () => setOpen(false))
  function close() {
    setOpen(false)
    if (!isBusy) reset()
  }
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)}>
        {texts.acceptAll}
      </Button>
      {isOpen && !totals && (
        <ConfirmDialog
          isOpen
          onClose={close}
          title={texts.acceptAllFindings}
          lead={texts.createsOneVulnerabilityPerWaiting(waitingInWords(waiting))}
          confirm={texts.acceptAll}
          isDangerous={false}
          isBusy={isBusy}
          onConfirm={() => void start()}
        />
      )}
      {isOpen && totals && outcome && (
        <Dialog
          isOpen
          onClose={close}
          title={isBusy ? texts.acceptingFinding(totals.total) : texts.findingsAccepted}
          lead={isBusy && texts.youCanCloseThisDialog}
        >
          <div className="stack" aria-live="polite">
            {isBusy ? (
              <ProgressBar label={texts.creatingVulnerabilities} value={totals.done} max={totals.total} />
            ) : (
              <Result totals={totals} outcome={outcome} />
            )}
            <DialogActions>
              <Button onClick={close}>{listTexts.close}</Button>
            </DialogActions>
          </div>
        </Dialog>
      )}
    </>
  )
}

function resultInWords({ promoted, failed }: Totals, { started }: Outcome): string {
  const projects = texts.projectCount(started.length - failed.length)
  return texts.vulnerabilitiesCreatedIn(promoted, projects)
}

function Result({ totals, outcome }: { totals: Totals; outcome: Outcome }) {
  const { skipped } = outcome
  return (
    <>
      <p>{resultInWords(totals, outcome)}</p>
      <Projects text={texts.theseProjectsFailedTheir} paths={totals.failed} />
      <Projects
        text={texts.theseProjectsAreArchived}
        paths={skipped.filter(({ archived }) => archived).map(({ path_with_namespace: path }) => path)}
      />
      <Projects
        text={texts.youMayNotTriage}
        paths={skipped.filter(({ archived }) => !archived).map(({ path_with_namespace: path }) => path)}
      />
    </>
  )
}

function Projects({ text, paths }: { text: string; paths: readonly string[] }) {
  if (paths.length === 0) return null
  return (
    <div>
      <p>{text}</p>
      <ul>
        {paths.map((path) => (
          <li key={path}>{path}</li>
        ))}
      </ul>
    </div>
  )
}

/**
 * Starts one promotion per project with one request, and follows them one after the other. Calls `onAllAccepted` when nothing is
 * left: the button disappears then, and with it the dialog, so a message shows the result.
 */
function useAcceptAll(scope: AcceptScope, onAllAccepted: () => void) {
  const toast = useToast()
  const keyring = useRef(createKeyring())
  const [isBusy, setBusy] = useState(false)
  const [totals, setTotals] = useState<Totals>()
  const [outcome, setOutcome] = useState<Outcome>()

  async function start() {
    setBusy(true)
    try {
      const sent = await keyring.current.use(JSON.stringify(scope), (idempotencyKey) => send(scope, idempotencyKey))
      setOutcome(sent)
      const end = await follow(sent, setTotals)
      if (end.failed.length > 0 || sent.skipped.length > 0) return
      toast({ text: resultInWords(end, sent) })
      setTotals(undefined)
      onAllAccepted()
    } catch (error) {
      toast({ text: (error as Error).message, kind: 'error' }) // always an Error
      setTotals(undefined)
    } finally {
      setBusy(false)
      void queries.invalidateQueries()
    }
  }
  return { start, isBusy, totals, outcome, reset: () => setTotals(undefined) }
}

const send = (scope: AcceptScope, idempotencyKey: string) =>
  'groupId' in scope
    ? api.call(
        'POST /groups/{id}/vulnerability_finding_promotions',
        { path: { id: scope.groupId } },
        { idempotencyKey },
      )
    : api.call('POST /vulnerability_finding_promotions', { body: scope }, { idempotencyKey })

async function follow({ started }: Outcome, onProgress: (totals: Totals) => void): Promise<Totals> {
  const totals: Totals = { done: 0, total: 0, promoted: 0, failed: [] }
  for (const { promotion } of started) totals.total += promotion.total
  onProgress({ ...totals })
  for (const { project, promotion } of started) {
    const before = totals.done
    const last = await pollPromotion(project.id, promotion, ({ promoted, unchanged }) =>
      onProgress({ ...totals, done: before + promoted + unchanged }),
    )
    totals.done = before + last.total
    totals.promoted += last.promoted
    if (last.status === 'failed') totals.failed.push(project.path_with_namespace)
    onProgress({ ...totals })
  }
  return totals
}
