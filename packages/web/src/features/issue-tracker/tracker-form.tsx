import type { BodyOf, Schemas } from '@alcove/client'
import { useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { SelectField, TextArea, TextField } from '../../components/form/field.tsx'
import { useAction } from '../../data/api.ts'
import { Code } from '../../nouns/finding/facts.tsx'
import { type Tracker, type TrackerKind, trackerKinds } from '../../nouns/tracker/tracker.ts'

/** Project or group whose issue tracker is set. */
export interface TrackerPlace {
  noun: 'project' | 'group'
  id: number
}

type Draft = BodyOf<'PUT /projects/{id}/issue_tracker'>
type Templates = Pick<Tracker, 'title_template' | 'description_template'>

const fields = [
  ...['url', 'project', 'token', 'email', 'issue_type', 'labels'],
  ...['title_template', 'description_template'],
]

/** Form of an issue tracker. The token is write-only. */
export function TrackerForm({
  place,
  tracker,
  defaults,
}: {
  place: TrackerPlace
  tracker: Tracker | undefined
  defaults: Templates
}) {
  const [kind, setKind] = useState<TrackerKind>(tracker?.kind ?? 'gitlab')
  const [url, setUrl] = useState(tracker?.url ?? '')
  const [project, setProject] = useState(tracker?.project ?? '')
  const token = useRef<HTMLInputElement>(null)
  const isJira = kind === 'jira'
  // The stored token belongs to the former place.
  const needsToken = tracker?.kind !== kind || tracker.url !== url.trim() || tracker.project !== project.trim()
  const save = useAction(`PUT /${place.noun}s/{id}/issue_tracker`, {
    showsErrors: true,
    done: 'Issue tracker saved.',
    onDone() {
      if (token.current) token.current.value = ''
    },
  })
  const preview = useAction(`POST /${place.noun}s/{id}/issue_tracker/preview`, { showsErrors: true })
  const path = { id: place.id }
  function submit(text: (name: string) => string) {
    const labels = text('labels').split(',')
    const body: Draft = {
      ...{ kind, url: url.trim(), project: project.trim() },
      ...(text('token') && { token: text('token') }),
      ...(isJira && { email: text('email') || null, issue_type: text('issue_type') }),
      labels: labels.map((label) => label.trim()).filter((label) => label !== ''),
      title_template: text('title_template'),
      description_template: text('description_template'),
    }
    preview.reset()
    save.mutate({ path, body })
  }
  function showPreview(form: HTMLFormElement | null) {
    if (!form) return
    const text = (name: string) => String(new FormData(form).get(name) ?? '').trim()
    const body = { kind, title_template: text('title_template'), description_template: text('description_template') }
    save.reset()
    preview.mutate({ path, body })
  }
  return (
    <ActionForm
      action={{ error: save.error ?? preview.error, isPending: save.isPending }}
      fields={fields}
      submit={tracker ? 'Save' : 'Add tracker'}
      aside={
        <Button isBusy={preview.isPending} onClick={({ currentTarget }) => showPreview(currentTarget.form)}>
          Preview issue
        </Button>
      }
      onSubmit={submit}
    >
      <SelectField label="Type" name="kind" choices={trackerKinds} value={kind} onChoose={setKind} />
      <TextField
        label="URL"
        name="url"
        type="url"
        required
        placeholder={kind === 'github' ? 'https://github.com' : 'https://tracker.example.com'}
        value={url}
        onChange={({ target }) => setUrl(target.value)}
        hint="Start page of the tracker, without the project."
      />
      <TextField
        label={isJira ? 'Project key' : 'Project path'}
        name="project"
        required
        placeholder={isJira ? 'SHOP' : 'acme/shop'}
        value={project}
        onChange={({ target }) => setProject(target.value)}
      />
      <TextField
        label={tracker ? 'New token' : 'Token'}
        name="token"
        type="password"
        autoComplete="new-password"
        required={needsToken}
        ref={token}
        hint={tokenHint(kind, tracker !== undefined && !needsToken)}
      />
      {isJira && <JiraFields tracker={tracker} />}
      <TextField
        label="Labels"
        name="labels"
        defaultValue={tracker?.labels.join(', ')}
        hint={`Optional. Separated by commas.${kind === 'gitea' ? ' Labels that do not exist in the repository are left out.' : ''}`}
      />
      <TemplateFields templates={tracker ?? defaults} />
      {preview.data && <Preview issue={preview.data} />}
    </ActionForm>
  )
}

const scopes: Record<TrackerKind, string> = {
  gitlab: 'Needs the scope api and the role Reporter.',
  github: 'Needs write access to issues.',
  gitea: 'Needs write access to issues and read access to the repository.',
  jira: 'Needs the permission to create issues.',
}

function tokenHint(kind: TrackerKind, isKept: boolean): string {
  return `${scopes[kind]} It is not shown again.${isKept ? ' Leave empty to keep the current token.' : ''}`
}

function JiraFields({ tracker }: { tracker: Tracker | undefined }) {
  return (
    <>
      <TextField
        label="E-mail of the token’s user"
        name="email"
        type="email"
        defaultValue={tracker?.email ?? ''}
        hint="Required by Jira Cloud. Leave empty for Jira Data Center."
      />
      <TextField label="Issue type" name="issue_type" required defaultValue={tracker?.issue_type ?? 'Task'} />
    </>
  )
}

function TemplateFields({ templates }: { templates: Templates }) {
  return (
    <>
      <TextField label="Title template" name="title_template" required defaultValue={templates.title_template} />
      <TextArea
        label="Description template"
        name="description_template"
        required
        rows={10}
        defaultValue={templates.description_template}
        hint="Placeholders: {{title}}, {{severity}}, {{state}}, {{report_type}}, {{location}}, {{identifiers}}, {{description}}, {{solution}}, {{project}}, {{url}}."
      />
    </>
  )
}

/** The issue of an invented vulnerability, as the tracker receives it. */
function Preview({ issue }: { issue: Schemas['IssueText'] }) {
  return (
    <section className="stack-tight" aria-label="Preview of an example" aria-live="polite">
      <h3>{issue.title}</h3>
      <Code text={issue.description} label="Description of the example" />
    </section>
  )
}
