import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../../components/button.tsx'
import { ConfirmDialog } from '../../../components/overlay/dialog.tsx'
import { TypedConfirm } from '../../../components/overlay/typed-confirm.tsx'
import { Panel } from '../../../components/page/page.tsx'
import { useAction } from '../../../data/api.ts'
import { useProject } from '../../../nouns/project/project.ts'
import { Transfer } from './transfer.tsx'

/** Archives, transfers and deletes the project. An archived project is unarchived on each of its pages. */
export function DangerZone() {
  const { project } = useProject()
  const [, navigate] = useLocation()
  const [asked, setAsked] = useState<'archive' | 'transfer' | 'delete'>()
  const close = () => setAsked(undefined)
  const archive = useAction('POST /projects/{id}/archive', { done: 'Project archived.', onDone: close })
  const { namespace, path_with_namespace: place } = project
  const remove = useAction('DELETE /projects/{id}', {
    done: `Project ${place} deleted.`,
    isLeaving: true,
    onDone: () => navigate(namespace.kind === 'group' ? `/groups/${namespace.full_path}` : `/${namespace.path}`),
  })
  const request = { path: { id: project.id } }
  return (
    <Panel title="Danger zone">
      <div className="row-wrap">
        {!project.archived && (
          <>
            <Button onClick={() => setAsked('archive')}>Archive</Button>
            <Button onClick={() => setAsked('transfer')}>Transfer project</Button>
          </>
        )}
        <Button kind="danger" onClick={() => setAsked('delete')}>
          Delete project
        </Button>
      </div>
      <ConfirmDialog
        isOpen={asked === 'archive'}
        onClose={close}
        title={`Archive ${project.name}?`}
        lead="An archived project is read-only: it can be viewed and exported, but not changed. You can unarchive it at any time."
        confirm="Archive"
        isDangerous={false}
        isBusy={archive.isPending}
        onConfirm={() => archive.mutate(request)}
      />
      {asked === 'transfer' && <Transfer onClose={close} />}
      {asked === 'delete' && (
        <TypedConfirm
          title={`Delete ${project.name}?`}
          lead="This immediately and permanently deletes its uploads, findings, vulnerabilities and comments. This cannot be undone."
          word={place}
          confirm="Delete project"
          isBusy={remove.isPending}
          onClose={close}
          onConfirm={() => remove.mutate(request)}
        />
      )}
    </Panel>
  )
}
