import type { Schemas } from '@alcove/client'
import { Button } from '../../components/button.tsx'
import { counted } from '../../components/format.ts'
import { Panel } from '../../components/page/page.tsx'
import { useAction } from '../../data/api.ts'
import { levels } from '../../data/session.ts'
import { useProject } from '../../nouns/project/project.ts'

/** Absences of a report that wait for a decision, with the two buttons of a maintainer. */
export function HeldAbsences({ report }: { report: Schemas['Import'] }) {
  const { level } = useProject()
  const apply = useAction('POST /projects/{id}/security_reports/{report_id}/absences/apply', {
    done: 'Absences applied.',
  })
  const discard = useAction('POST /projects/{id}/security_reports/{report_id}/absences/discard', {
    done: 'Absences discarded.',
  })
  const request = { path: { id: report.project_id, report_id: report.id ?? 0 } }
  const isBusy = apply.isPending || discard.isPending
  return (
    <Panel title="Absences on hold">
      <p>
        {counted(report.absences.count, 'finding')} of this branch are missing in this report. They keep their state,
        because a broken scan looks the same. A later complete report replaces this one.
      </p>
      {level >= levels.maintainer && (
        <div className="row">
          <Button kind="primary" disabled={isBusy} onClick={() => apply.mutate(request)}>
            Apply absences
          </Button>
          <Button disabled={isBusy} onClick={() => discard.mutate(request)}>
            Discard absences
          </Button>
        </div>
      )}
    </Panel>
  )
}
