import type { BodyOf, Schemas } from '@alcove/client'
import { useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { SelectField, TextArea, TextField } from '../../components/form/field.tsx'
import { useAction } from '../../data/api.ts'
import { Code } from '../../nouns/finding/facts.tsx'
import { type Tracker, type TrackerKind, trackerKinds } from '../../nouns/tracker/tracker.ts'
import { texts } from './texts.ts'

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
    done: texts.issueTrackerSaved,
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
      submit={tracker ? texts.save : texts.addTracker}
      aside={
        <Button isBusy={preview.isPending} onClick={({ currentTarget }) => showPreview(currentTarget.form)}>
          {texts.previewIssue}
        </Button>
      }
      onSubmit={submit}
    >
      <SelectField label={texts.type} name="kind" choices={trackerKinds} value={kind} onChoose={setKind} />
      <TextField
        label={texts.url}
        name="url"
        type="url"
        required
        placeholder={kind === 'github' ? 'https://github.com' : 'https://tracker.example.com'}
        value={url}
        onChange={({ target }) => setUrl(target.value)}
        hint={texts.startPageOfTheTracker}
      />
      <TextField
        label={isJira ? texts.projectKey : texts.projectPath}
        name="project"
        required
        placeholder={isJira ? texts.shop : texts.acmeShop}
        value={project}
        onChange={({ target }) => setProject(target.value)}
      />
      <TextField
        label={tracker ? texts.newToken : texts.token}
        name="token"
        type="password"
        autoComplete="new-password"
        required={needsToken}
        ref={token}
        hint={tokenHint(kind, tracker !== undefined && !needsToken)}
      />
      {isJira && <JiraFields tracker={tracker} />}
      <TextField
        label={texts.labels}
        name="labels"
        defaultValue={tracker?.labels.join(', ')}
        hint={texts.optionalSeparatedByCommas(kind === 'gitea' ? texts.labelsThatDoNotExist : '')}
      />
      <TemplateFields templates={tracker ?? defaults} />
      {preview.data && <Preview issue={preview.data} />}
    </ActionForm>
  )
}

const scopes: Record<TrackerKind, string> = {
  gitlab: texts.needsTheScopeApi,
  github: texts.needsWriteAccessToIssues,
  gitea: texts.needsWriteAccessToIssuesAnd,
  jira: texts.needsThePermissionToCreate,
}

function tokenHint(kind: TrackerKind, isKept: boolean): string {
  return texts.itIsNotShown(scopes[kind], isKept ? texts.leaveEmptyToKeep : '')
}

function JiraFields({ tracker }: { tracker: Tracker | undefined }) {
  return (
    <>
      <TextField
        label={texts.eMailOfTheTokens}
        name="email"
        type="email"
        defaultValue={tracker?.email ?? ''}
        hint={texts.requiredByJiraCloud}
      />
      <TextField label={texts.issueType} name="issue_type" required defaultValue={tracker?.issue_type ?? 'Task'} />
    </>
  )
}

function TemplateFields({ templates }: { templates: Templates }) {
  return (
    <>
      <TextField label={texts.titleTemplate} name="title_template" required defaultValue={templates.title_template} />
      <TextArea
        label={texts.descriptionTemplate}
        name="description_template"
        required
        rows={10}
        defaultValue={templates.description_template}
        hint={texts.placeholders}
      />
    </>
  )
}

/** The issue of an invented vulnerability, as the tracker receives it. */
function Preview({ issue }: { issue: Schemas['IssueText'] }) {
  return (
    <section className="stack-tight" aria-label={texts.previewOfAnExample} aria-live="polite">
      <h3>{issue.title}</h3>
      <Code text={issue.description} label={texts.descriptionOfTheExample} />
    </section>
  )
}
