import { useState } from 'react'
import { useLocation } from 'wouter'
import { useAction } from '../../../app/api.ts'
import { Button } from '../../../components/button.tsx'
import { ConfirmDialog } from '../../../components/dialog.tsx'
import { Panel } from '../../../components/page.tsx'
import { TypedConfirm } from '../../../components/typed-confirm.tsx'
import { useProject } from '../project.ts'
import { Transfer } from './transfer.tsx'

/** What has consequences for everybody. */
export function DangerZone() {
  const { project } = useProject()
  const [, navigate] = useLocation()
  const [asked, setAsked] = useState<'archive' | 'transfer' | 'delete'>()
  const close = () => setAsked(undefined)
  const archive = useAction('POST /projects/{id}/archive', { done: 'The project is archived.', onDone: close })
  const unarchive = useAction('POST /projects/{id}/unarchive', { done: 'The project is in use again.' })
  const { namespace, path_with_namespace: place } = project
  const remove = useAction('DELETE /projects/{id}', {
    done: `${place} was deleted.`,
    isLeaving: true,
    onDone: () => navigate(namespace.kind === 'group' ? `/groups/${namespace.full_path}` : `/${namespace.path}`),
  })
  const request = { path: { id: project.id } }
  return (
    <Panel title="Archive, move, delete">
      <div className="row-wrap">
        {project.archived ? (
          <Button isBusy={unarchive.isPending} onClick={() => unarchive.mutate(request)}>
            Take out of the archive
          </Button>
        ) : (
          <Button onClick={() => setAsked('archive')}>Archive</Button>
        )}
        <Button onClick={() => setAsked('transfer')}>Move to another place</Button>
        <Button kind="danger" onClick={() => setAsked('delete')}>
          Delete the project
        </Button>
      </div>
      <ConfirmDialog
        isOpen={asked === 'archive'}
        onClose={close}
        title={`Archive ${project.name}?`}
        lead="It stays as it is and can be looked at, but is marked as no longer in use. You can take it out again."
        confirm="Archive"
        isDangerous={false}
        isBusy={archive.isPending}
        onConfirm={() => archive.mutate(request)}
      />
      {asked === 'transfer' && <Transfer onClose={close} />}
      {asked === 'delete' && (
        <TypedConfirm
          title={`Delete ${project.name}?`}
          lead="Its uploads, findings, vulnerabilities and everything written about them are gone at once, and for good."
          word={place}
          confirm="Delete the project"
          isBusy={remove.isPending}
          onClose={close}
          onConfirm={() => remove.mutate(request)}
        />
      )}
    </Panel>
  )
}
