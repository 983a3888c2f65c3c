import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../../components/button.tsx'
import { ConfirmDialog } from '../../../components/overlay/dialog.tsx'
import { TypedConfirm } from '../../../components/overlay/typed-confirm.tsx'
import { Panel } from '../../../components/page/page.tsx'
import { useAction } from '../../../data/api.ts'
import { useProject } from '../../../nouns/project/project.ts'
import { texts } from '../texts.ts'
import { Transfer } from './transfer.tsx'

/** Archives, transfers and deletes the project. An archived project is unarchived on each of its pages. */
export function DangerZone() {
  const { project } = useProject()
  const [, navigate] = useLocation()
  const [asked, setAsked] = useState<'archive' | 'transfer' | 'delete'>()
  const close = () => setAsked(undefined)
  const archive = useAction('POST /projects/{id}/archive', { done: texts.projectArchived, onDone: close })
  const { namespace, path_with_namespace: place } = project
  const remove = useAction('DELETE /projects/{id}', {
    done: texts.projectDeleted(place),
    isLeaving: true,
    onDone: () => navigate(namespace.kind === 'group' ? `/groups/${namespace.full_path}` : `/${namespace.path}`),
  })
  const request = { path: { id: project.id } }
  return (
    <Panel title={texts.dangerZone}>
      <div className="row-wrap">
        {!project.archived && (
          <>
            <Button onClick={() => setAsked('archive')}>{texts.archive}</Button>
            <Button onClick={() => setAsked('transfer')}>{texts.transferProject}</Button>
          </>
        )}
        <Button kind="danger" onClick={() => setAsked('delete')}>
          {texts.deleteProject}
        </Button>
      </div>
      <ConfirmDialog
        isOpen={asked === 'archive'}
        onClose={close}
        title={texts.archiveName(project.name)}
        lead={texts.anArchivedProjectIsRead}
        confirm={texts.archive}
        isDangerous={false}
        isBusy={archive.isPending}
        onConfirm={() => archive.mutate(request)}
      />
      {asked === 'transfer' && <Transfer onClose={close} />}
      {asked === 'delete' && (
        <TypedConfirm
          title={texts.deleteLabel(project.name)}
          lead={texts.thisImmediatelyAndPermanently}
          word={place}
          confirm={texts.deleteProject}
          isBusy={remove.isPending}
          onClose={close}
          onConfirm={() => remove.mutate(request)}
        />
      )}
    </Panel>
  )
}
