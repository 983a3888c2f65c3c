import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../../components/button.tsx'
import { TextField } from '../../../components/form/field.tsx'
import { Problem } from '../../../components/form/problem.tsx'
import { Dialog, DialogActions } from '../../../components/overlay/dialog.tsx'
import { useAction } from '../../../data/api.ts'
import { levels } from '../../../data/session.ts'
import { NamespaceField, type Place } from '../../../nouns/project/namespace-field.tsx'
import { useProject } from '../../../nouns/project/project.ts'
import { texts } from '../texts.ts'

/** Dialog that transfers the project to another namespace. */
export function Transfer({ onClose }: { onClose: () => void }) {
  const { project } = useProject()
  const [, navigate] = useLocation()
  const [place, setPlace] = useState<Place>()
  const [typed, setTyped] = useState('')
  const action = useAction('PUT /projects/{id}/transfer', {
    showsErrors: true,
    done: texts.projectTransferred,
    onDone: ({ path_with_namespace: path }) => navigate(`/${path}/-/settings`),
  })
  const isMeant = typed.trim() === project.path_with_namespace
  function submit(event: FormEvent) {
    event.preventDefault()
    if (place && isMeant) action.mutate({ path: { id: project.id }, body: { namespace: place.fullPath } })
  }
  return (
    <Dialog isOpen onClose={onClose} title={texts.transferName(project.name)} lead={texts.membersOfTheCurrent}>
      <form className="form" onSubmit={submit}>
        <NamespaceField label={texts.newNamespace} least={levels.maintainer} value={place} onChange={setPlace} />
        {place?.kind === 'group' && place.visibility !== 'public' && (
          <p className="small muted">{texts.theGroupIsTheProjects(place.visibility)}</p>
        )}
        <TextField
          label={texts.typeToConfirm(project.path_with_namespace)}
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Problem text={transferProblem(action.error)} />
        <DialogActions>
          <Button onClick={onClose}>{texts.cancel}</Button>
          <Button type="submit" kind="danger" disabled={!place || !isMeant} isBusy={action.isPending}>
            {texts.transfer}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** Extracts the message from GitLab's error format. */
function transferProblem(error: Error | null): string {
  const message = error?.message ?? ''
  return /=>\["(.+)"\]\}/.exec(message)?.[1] ?? message
}
