import { Badge } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { Dialog } from '../../../components/overlay/dialog.tsx'
import { QueryResult } from '../../../components/page/states.tsx'
import { Table } from '../../../components/table.tsx'
import { Time } from '../../../components/time.tsx'
import { useApiQueries, useApiQuery } from '../../../data/api.ts'
import { texts as listTexts } from '../texts.ts'
import { texts } from './texts.ts'
import { changeInWords, type FlawPlace, useUndo } from './use-regrouping.ts'

const maxShown = 50

/** Dialog that lists the splits and joins of a project or group, and undoes them. */
export function FlawChangesDialog({ place, onClose }: { place: FlawPlace; onClose: () => void }) {
  const undo = useUndo(place)
  const changes = useApiQuery(
    place.kind === 'project'
      ? 'GET /projects/{id}/vulnerability_flaw_changes'
      : 'GET /groups/{id}/vulnerability_flaw_changes',
    { path: { id: place.id }, query: { per_page: maxShown } },
  )
  const authors = new Set((changes.data ?? []).flatMap(({ author_id: id }) => id ?? []))
  const users = useApiQueries(
    'GET /users/{id}',
    [...authors].map((id) => ({ path: { id } })),
  )
  return (
    <Dialog
      isOpen
      onClose={onClose}
      size="wide"
      title={listTexts.splitsAndJoins}
      lead={texts.changesOfThisNewest(place.kind)}
    >
      <QueryResult query={changes}>
        {(rows) =>
          rows.length === 0 ? (
            <p className="muted">{texts.noRowWasSplit}</p>
          ) : (
            <Table label={listTexts.splitsAndJoins} head={[texts.change, texts.author, texts.time, '']}>
              {rows.map((change) => (
                <tr key={change.id}>
                  <td>{changeInWords(change)}</td>
                  <td>{users.find(({ id }) => id === change.author_id)?.name ?? texts.unknownUser}</td>
                  <td>
                    <Time of={change.created_at} />
                  </td>
                  <td>
                    {change.undone_at ? (
                      <Badge>{texts.undone}</Badge>
                    ) : (
                      <Button
                        size="small"
                        aria-label={texts.undoChange(changeInWords(change))}
                        onClick={() => undo.mutate({ path: { id: place.id, change_id: change.id } })}
                      >
                        {listTexts.undo}
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </QueryResult>
      {changes.data?.length === maxShown && <p className="muted small">{texts.showsTheNewestChanges(maxShown)}</p>}
    </Dialog>
  )
}
