import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../../components/button.tsx'
import { Dialog, DialogActions } from '../../../components/dialog.tsx'
import { TextField } from '../../../components/field.tsx'
import { Problem } from '../../../components/problem.tsx'
import { useAction } from '../../../data/api.ts'
import { levels } from '../../../data/session.ts'
import { NamespaceField, type Place } from '../../../nouns/project/namespace-field.tsx'
import { useProject } from '../../../nouns/project/project.ts'

/** Moves the project into another group, or to oneself. */
export function Transfer({ onClose }: { onClose: () => void }) {
  const { project } = useProject()
  const [, navigate] = useLocation()
  const [place, setPlace] = useState<Place>()
  const [typed, setTyped] = useState('')
  const action = useAction('PUT /projects/{id}/transfer', {
    showsErrors: true,
    done: 'The project has moved.',
    onDone: ({ path_with_namespace: path }) => navigate(`/${path}/-/settings`),
  })
  const isMeant = typed.trim() === project.path_with_namespace
  function submit(event: FormEvent) {
    event.preventDefault()
    if (place && isMeant) action.mutate({ path: { id: project.id }, body: { namespace: place.fullPath } })
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Move ${project.name}`}
      lead="Members of the groups it leaves lose what they may do here; those of the groups it comes into may do what their roles say. Its old address leads to the new one."
    >
      <form className="form" onSubmit={submit}>
        <NamespaceField label="Where to" least={levels.maintainer} value={place} onChange={setPlace} />
        {place?.kind === 'group' && place.visibility !== 'public' && (
          <p className="small muted">The group is {place.visibility}; the project will not be wider.</p>
        )}
        <TextField
          label={`Type ${project.path_with_namespace} to go on`}
          autoComplete="off"
          value={typed}
          onChange={({ target }) => setTyped(target.value)}
        />
        <Problem text={transferProblem(action.error)} />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" kind="danger" disabled={!place || !isMeant} isBusy={action.isPending}>
            Move it
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}

/** The sentence inside of GitLab's way to say it. */
function transferProblem(error: Error | null): string {
  const message = error?.message ?? ''
  return /=>\["(.+)"\]\}/.exec(message)?.[1] ?? message
}
