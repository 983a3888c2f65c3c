import { type FormEvent, useState } from 'react'
import { Button } from '../../../components/button.tsx'
import { CheckField } from '../../../components/form/field.tsx'
import { Dialog, DialogActions } from '../../../components/overlay/dialog.tsx'
import { QueryResult } from '../../../components/page/states.tsx'
import { useApiQueries, useApiQuery } from '../../../data/api.ts'
import { rowOf } from '../../../nouns/vulnerability/owner.ts'
import { texts as listTexts } from '../texts.ts'
import { texts } from './texts.ts'
import { type Flaw, type FlawPlace, useRegrouping } from './use-regrouping.ts'

const maxShown = 100

/** Dialog that takes vulnerabilities out of a row of the grouped list. */
export function SplitDialog({ place, flaw, onClose }: { place: FlawPlace; flaw: Flaw; onClose: () => void }) {
  const { split } = useRegrouping(place, onClose)
  const [problem, setProblem] = useState<string>()
  const members = useApiQuery(operationOf(place), membersOf(place, flaw))
  const rows = (members.data ?? []).map(rowOf)
  const scannerOf = useScanners(place, flaw)

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const ids = new FormData(event.currentTarget).getAll('vulnerability_ids').map(Number)
    if (ids.length === 0) return setProblem(texts.selectAtLeastOne)
    if (ids.length === rows.length && rows.length < maxShown) return setProblem(texts.leaveAtLeastOne)
    setProblem(undefined)
    split.mutate({ path: { id: place.id, flaw_id: flaw.id }, body: { vulnerability_ids: ids } })
  }

  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={texts.splitRow}
      lead={texts.selectWhatIsNotItBecomes(flaw.title, place.kind)}
    >
      <form className="stack" onSubmit={submit}>
        <QueryResult query={members}>
          {() => (
            <fieldset className="stack-tight">
              <legend className="visually-hidden">{texts.vulnerabilitiesOfTheRow}</legend>
              {rows.map(({ id, title, projectName, place: where }) => (
                <CheckField
                  key={id}
                  name="vulnerability_ids"
                  value={id}
                  label={title}
                  hint={[scannerOf.get(id), place.kind === 'group' && projectName, where].filter(Boolean).join(' · ')}
                />
              ))}
            </fieldset>
          )}
        </QueryResult>
        {rows.length === maxShown && <p className="muted small">{texts.showsTheFirstVulnerabilities(maxShown)}</p>}
        {(problem ?? split.error) && <p role="alert">{problem ?? split.error?.message}</p>}
        <DialogActions>
          <Button onClick={onClose}>{listTexts.cancel}</Button>
          <Button type="submit" kind="primary" isBusy={split.isPending}>
            {listTexts.split}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

const operationOf = ({ kind }: FlawPlace) =>
  kind === 'project' ? 'GET /projects/{id}/vulnerabilities' : 'GET /groups/{id}/vulnerabilities'

const membersOf = ({ id }: FlawPlace, flaw: Flaw, scanner?: string) => ({
  path: { id },
  query: { flaw: [`${flaw.id}`], per_page: maxShown, ...(scanner !== undefined && { scanner: [scanner] }) },
})

/** Returns the scanners of the vulnerabilities of a row once all are there. Vulnerabilities do not name their scanner. */
function useScanners(place: FlawPlace, flaw: Flaw): ReadonlyMap<number, string> {
  const { scanners } = flaw
  const found = useApiQueries(
    operationOf(place),
    scanners.map(({ external_id: id }) => membersOf(place, flaw, id)),
  )
  if (found.length < scanners.length) return new Map()
  return new Map(found.flatMap((rows, index) => rows.map(({ id }) => [id, scanners[index]?.name ?? ''] as const)))
}
