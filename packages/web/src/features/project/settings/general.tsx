import type { BodyOf } from '@alcove/client'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ActionForm } from '../../../components/form/action-form.tsx'
import { type AvatarChange, AvatarPanel } from '../../../components/form/avatar-field.tsx'
import { SelectField, TextArea, TextField } from '../../../components/form/field.tsx'
import { ForWriters } from '../../../components/form/for-writers.tsx'
import { VisibilityField } from '../../../components/form/visibility-field.tsx'
import { Page, Panel } from '../../../components/page/page.tsx'
import { visibilityOf } from '../../../components/visibility.tsx'
import { useAction, useApiQuery } from '../../../data/api.ts'
import { levels, useMayChange } from '../../../data/session.ts'
import { useProject } from '../../../nouns/project/project.ts'
import { texts } from '../texts.ts'
import { BadgePanel } from './badge.tsx'
import { DangerZone } from './danger-zone.tsx'
import { ProjectFilesPanel } from './project-files.tsx'
import { SettingCheck } from './setting-check.tsx'
import { SettingsTabs } from './settings-tabs.tsx'
import { UploadLimits } from './upload-limits.tsx'

/** Settings of a project: those of maintainers first, then those of owners. */
export function GeneralSettings() {
  const { level } = useProject()
  const isOwner = level >= levels.owner
  // Archived projects permit the same.
  const mayDelete = useMayChange('members')
  return (
    <Page title={texts.settings}>
      <SettingsTabs />
      <ForWriters>
        <General />
        <ProjectAvatar />
        <Vulnerabilities />
        <ProjectFilesPanel />
        <BadgePanel />
        <UploadLimits />
        {isOwner && <Visibility />}
        {isOwner && <Address />}
      </ForWriters>
      {/* Outside `ForWriters`, because archived projects can be deleted; mirrors cannot. */}
      {isOwner && mayDelete && <DangerZone />}
    </Page>
  )
}

type Change = BodyOf<'PUT /projects/{id}'>

function useChange() {
  const { project, to } = useProject()
  const [, navigate] = useLocation()
  const action = useAction('PUT /projects/{id}', {
    showsErrors: true,
    done: texts.saved,
    onDone({ path_with_namespace: path }) {
      // A new path changes the address of this page.
      if (path !== project.path_with_namespace)
        navigate(to('settings').replace(project.path_with_namespace, path ?? ''))
    },
  })
  return { action, save: (body: Change) => action.mutate({ path: { id: project.id }, body }) }
}

function ProjectAvatar() {
  const { project } = useProject()
  const [avatar, setAvatar] = useState<AvatarChange>()
  const action = useAction('PUT /projects/{id}', {
    showsErrors: true,
    done: texts.avatarSaved,
    onDone: () => setAvatar(undefined),
  })
  return (
    <AvatarPanel
      name={project.name}
      current={project.avatar_url}
      avatar={avatar}
      onAvatar={setAvatar}
      action={action}
      onSave={(body) => action.mutate({ path: { id: project.id }, body })}
    />
  )
}

function General() {
  const { project } = useProject()
  const { action, save } = useChange()
  return (
    <Panel title={texts.general}>
      <ActionForm
        action={action}
        fields={['name', 'description', 'default_branch']}
        submit={texts.save}
        onSubmit={(text) =>
          save({ name: text('name'), description: text('description'), default_branch: text('default_branch') })
        }
      >
        <TextField label={texts.name} name="name" defaultValue={project.name} required />
        <TextArea
          label={texts.description}
          name="description"
          defaultValue={project.description ?? ''}
          hint={texts.supportsMarkdownVisibleToEveryone}
        />
        <TextField
          label={texts.defaultBranch}
          name="default_branch"
          defaultValue={project.default_branch ?? ''}
          required
          hint={texts.reportsOfThisBranch}
        />
      </ActionForm>
    </Panel>
  )
}

function Vulnerabilities() {
  return (
    <Panel title={texts.vulnerabilities}>
      <SettingCheck
        name="promote_vulnerabilities_on_ingestion"
        label={texts.createVulnerabilitiesAutomatically}
        hint={texts.newFindingsOnTheDefault}
      />
      <SettingCheck
        name="auto_resolve_vulnerabilities"
        label={texts.resolveVulnerabilitiesAutomatically}
        hint={texts.resolvesVulnerabilitiesThatAreNo}
      />
      <ExposureForm />
      <ReportRole />
      <AbsenceLimit />
      <BranchRetention />
    </Panel>
  )
}

/** From where attackers reach the project, which is part of the priority of its vulnerabilities. */
function ExposureForm() {
  const { project } = useProject()
  const { action, save } = useChange()
  return (
    <ActionForm
      action={action}
      fields={['exposure']}
      submit={texts.saveExposure}
      kind="plain"
      onSubmit={(text) => {
        const exposure = exposures.find(({ value }) => value === text('exposure'))
        if (exposure) save({ exposure: exposure.value })
      }}
    >
      <SelectField
        label={texts.exposure}
        name="exposure"
        defaultValue={project.exposure ?? 'unknown'}
        choices={exposures}
        hint={texts.fromWhereAttackersReach}
      />
    </ActionForm>
  )
}

const exposures = [
  { value: 'unknown', label: texts.unknown },
  { value: 'internet', label: texts.reachableFromTheInternet },
  { value: 'internal', label: texts.internalNetworkOnly },
  { value: 'none', label: texts.notReachable },
] as const

/** Who may report for the default branch. Pipelines with a token of the project may in any case. */
function ReportRole() {
  const { project } = useProject()
  const { action, save } = useChange()
  return (
    <ActionForm
      action={action}
      fields={['default_branch_report_role']}
      submit={texts.saveReportRole}
      kind="plain"
      onSubmit={(text) => {
        const role = text('default_branch_report_role')
        save({ default_branch_report_role: role === 'maintainer' ? role : 'developer' })
      }}
    >
      <SelectField
        label={texts.whoCanReportForTheDefault}
        name="default_branch_report_role"
        defaultValue={project.default_branch_report_role ?? 'developer'}
        choices={[
          { value: 'developer', label: texts.developersAndMaintainers },
          { value: 'maintainer', label: texts.maintainersAccessTokensAndTrust },
        ]}
        hint={texts.accessTokensOfTheProject}
      />
    </ActionForm>
  )
}

/** Share of a scanner's findings that a report may omit; absences above it wait for a maintainer. */
function AbsenceLimit() {
  const { project } = useProject()
  const { action, save } = useChange()
  return (
    <ActionForm
      action={action}
      fields={['max_absent_percent']}
      submit={texts.saveAbsenceLimit}
      kind="plain"
      onSubmit={(text) => {
        const percent = text('max_absent_percent')
        save({ max_absent_percent: percent === '' ? null : Number(percent) })
      }}
    >
      <TextField
        label={texts.absenceLimit}
        name="max_absent_percent"
        type="number"
        min="0"
        max="100"
        defaultValue={project.max_absent_percent ?? ''}
        hint={texts.ifAReportForTheDefault}
      />
    </ActionForm>
  )
}

/** Days without a report after which branches close, and the branches that never do. */
function BranchRetention() {
  const { project } = useProject()
  const { action, save } = useChange()
  return (
    <ActionForm
      action={action}
      fields={['ref_retention_days', 'protected_refs']}
      submit={texts.saveBranchRetention}
      kind="plain"
      onSubmit={(text) => {
        const days = text('ref_retention_days')
        const names = text('protected_refs').split('\n')
        save({
          ref_retention_days: days === '' ? null : Number(days),
          protected_refs: names.map((name) => name.trim()).filter((name) => name !== ''),
        })
      }}
    >
      <TextField
        label={texts.closeBranchesAfterDays}
        name="ref_retention_days"
        type="number"
        min="0"
        max="3650"
        defaultValue={project.ref_retention_days ?? ''}
        hint={texts.aBranchWithoutAReport}
      />
      <TextArea
        label={texts.protectedBranches}
        name="protected_refs"
        rows={3}
        defaultValue={project.protected_refs?.join('\n')}
        hint={texts.branchesAndTagsThatNever}
      />
    </ActionForm>
  )
}

function Visibility() {
  const { project } = useProject()
  const { action, save } = useChange()
  const now = visibilityOf(project.visibility)
  const [chosen, setChosen] = useState(now)
  const isInGroup = project.namespace.kind === 'group'
  const group = useApiQuery(
    'GET /groups/{id}',
    { path: { id: project.namespace.id }, query: { with_projects: false } },
    { isEnabled: isInGroup },
  )
  return (
    <Panel title={texts.visibility}>
      <ActionForm
        action={action}
        fields={['visibility_level']}
        submit={texts.saveVisibility}
        isDisabled={chosen === now}
        onSubmit={() => save({ visibility: chosen })}
      >
        <VisibilityField
          value={chosen}
          max={group.data ? visibilityOf(group.data.visibility) : 'public'}
          within={group.data && texts.theGroupName(group.data.name)}
          onChange={setChosen}
        />
        <SettingCheck
          name="enforce_auth_checks_on_uploads"
          label={texts.requireProjectAccessToView}
          hint={texts.otherwiseAnyoneWithTheUrl}
        />
      </ActionForm>
    </Panel>
  )
}

function Address() {
  const { project } = useProject()
  const { action, save } = useChange()
  const [path, setPath] = useState(project.path)
  return (
    <Panel title={texts.url}>
      <ActionForm
        action={action}
        fields={['path']}
        submit={texts.changePath}
        kind="plain"
        isDisabled={path.trim() === project.path}
        onSubmit={() => save({ path: path.trim() })}
      >
        <TextField
          label={texts.path}
          name="path"
          value={path}
          onChange={({ target }) => setPath(target.value)}
          required
          hint={texts.urlTheOldUrl(project.namespace.full_path, path.trim() || project.path)}
        />
      </ActionForm>
    </Panel>
  )
}
