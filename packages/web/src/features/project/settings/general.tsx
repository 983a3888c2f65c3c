import type { BodyOf } from '@alcove/client'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../../components/button.tsx'
import { TextArea, TextField } from '../../../components/field.tsx'
import { ForWriters } from '../../../components/for-writers.tsx'
import { Page, Panel } from '../../../components/page.tsx'
import { Problem, problemsOf } from '../../../components/problem.tsx'
import { visibilityOf } from '../../../components/visibility.tsx'
import { VisibilityField } from '../../../components/visibility-field.tsx'
import { useAction, useAnswer } from '../../../data/api.ts'
import { levels, mayWrite, useSession } from '../../../data/session.ts'
import { useProject } from '../../../nouns/project/project.ts'
import { DangerZone } from './danger-zone.tsx'
import { SettingCheck } from './setting-check.tsx'
import { SettingsTabs } from './settings-tabs.tsx'
import { UploadLimits } from './upload-limits.tsx'

/** What maintainers may change, and below it what only owners may. */
export function GeneralSettings() {
  const { level } = useProject()
  const isOwner = level >= levels.owner
  const session = useSession()
  return (
    <Page title="Settings">
      <SettingsTabs />
      <ForWriters>
        <General />
        <Vulnerabilities />
        <UploadLimits />
        {isOwner && <Visibility />}
        {isOwner && <Address />}
      </ForWriters>
      {/* Archived projects can be deleted as well. */}
      {isOwner && mayWrite(session) && <DangerZone />}
    </Page>
  )
}

type Change = BodyOf<'PUT /projects/{id}'>

function useChange() {
  const { project, to } = useProject()
  const [, navigate] = useLocation()
  const action = useAction('PUT /projects/{id}', {
    showsErrors: true,
    done: 'Saved.',
    onDone({ path_with_namespace: path }) {
      // Another path is another address.
      if (path !== project.path_with_namespace)
        navigate(to('settings').replace(project.path_with_namespace, path ?? ''))
    },
  })
  return { action, save: (body: Change) => action.mutate({ path: { id: project.id }, body }) }
}

function General() {
  const { project } = useProject()
  const { action, save } = useChange()
  const { fields, rest } = problemsOf(action.error, ['name', 'description', 'default_branch'])
  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    const text = (name: string) => String(form.get(name) ?? '').trim()
    save({ name: text('name'), description: text('description'), default_branch: text('default_branch') })
  }
  return (
    <Panel title="General">
      <form className="form" onSubmit={submit}>
        <TextField label="Name" name="name" defaultValue={project.name} required error={fields['name']} />
        <TextArea
          label="Description"
          name="description"
          defaultValue={project.description ?? ''}
          hint="Markdown. Everybody who may see the project sees it."
          error={fields['description']}
        />
        <TextField
          label="Default branch"
          name="default_branch"
          defaultValue={project.default_branch ?? ''}
          required
          hint="Reports of this branch say what the project’s vulnerabilities are."
          error={fields['default_branch']}
        />
        <Problem text={rest} />
        <div>
          <Button type="submit" kind="primary" isBusy={action.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Panel>
  )
}

function Vulnerabilities() {
  return (
    <Panel title="Vulnerabilities">
      <SettingCheck
        name="promote_vulnerabilities_on_ingestion"
        label="Promote findings when a report comes in"
        hint="New findings of the default branch become vulnerabilities at once, without anybody promoting them."
      />
      <SettingCheck
        name="auto_resolve_vulnerabilities"
        label="Resolve what is no longer reported"
        hint="What its scanner no longer finds on the default branch is resolved, not only marked."
      />
    </Panel>
  )
}

function Visibility() {
  const { project } = useProject()
  const { action, save } = useChange()
  const now = visibilityOf(project.visibility)
  const [chosen, setChosen] = useState(now)
  const isInGroup = project.namespace.kind === 'group'
  const group = useAnswer(
    'GET /groups/{id}',
    { path: { id: project.namespace.id }, query: { with_projects: false } },
    { isEnabled: isInGroup },
  )
  const { fields, rest } = problemsOf(action.error, ['visibility_level'])
  return (
    <Panel title="Who may see it">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          save({ visibility: chosen })
        }}
      >
        <VisibilityField
          value={chosen}
          most={group.data ? visibilityOf(group.data.visibility) : 'public'}
          within={group.data && `the group ${group.data.name}`}
          onChange={setChosen}
          error={fields['visibility_level']}
        />
        <SettingCheck
          name="enforce_auth_checks_on_uploads"
          label="Uploads only for those who may see the project"
          hint="Otherwise whoever has the address of a picture may see it."
        />
        <Problem text={rest} />
        <div>
          <Button type="submit" kind="primary" isBusy={action.isPending} disabled={chosen === now}>
            Save the visibility
          </Button>
        </div>
      </form>
    </Panel>
  )
}

function Address() {
  const { project } = useProject()
  const { action, save } = useChange()
  const [path, setPath] = useState(project.path)
  const { fields, rest } = problemsOf(action.error, ['path'])
  return (
    <Panel title="Address">
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault()
          save({ path: path.trim() })
        }}
      >
        <TextField
          label="Path"
          value={path}
          onChange={({ target }) => setPath(target.value)}
          required
          hint={`Its address is /${project.namespace.full_path}/${path.trim() || project.path}. Links and scripts that use the old one are led to the new one, until something else takes the old path.`}
          error={fields['path']}
        />
        <Problem text={rest} />
        <div>
          <Button type="submit" isBusy={action.isPending} disabled={path.trim() === project.path}>
            Change the path
          </Button>
        </div>
      </form>
    </Panel>
  )
}
