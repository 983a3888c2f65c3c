import type { Schemas } from '@alcove/client'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/page/page.tsx'
import { useAction } from '../../data/api.ts'
import { levels } from '../../data/session.ts'
import { useProject } from '../../nouns/project/project.ts'
import { texts } from './texts.ts'

/** Absences of a report that wait for a decision, with the two buttons of a maintainer. */
export function HeldAbsences({ report }: { report: Schemas['Import'] }) {
  const { level } = useProject()
  const apply = useAction('POST /projects/{id}/security_reports/{report_id}/absences/apply', {
    done: texts.absencesApplied,
  })
  const discard = useAction('POST /projects/{id}/security_reports/{report_id}/absences/discard', {
    done: texts.absencesDiscarded,
  })
  const request = { path: { id: report.project_id, report_id: report.id ?? 0 } }
  const isBusy = apply.isPending || discard.isPending
  return (
    <Panel title={texts.absencesOnHold}>
      <p>{texts.findingOfThisBranch(report.absences.count)}</p>
      {level >= levels.maintainer && (
        <div className="row">
          <Button kind="primary" disabled={isBusy} onClick={() => apply.mutate(request)}>
            {texts.applyAbsences}
          </Button>
          <Button disabled={isBusy} onClick={() => discard.mutate(request)}>
            {texts.discardAbsences}
          </Button>
        </div>
      )}
    </Panel>
  )
}
