import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button } from '../../components/button.tsx'
import { ActionForm } from '../../components/form/action-form.tsx'
import { type AvatarChange, AvatarPanel } from '../../components/form/avatar-field.tsx'
import { SelectField, TextArea, TextField } from '../../components/form/field.tsx'
import { ForWriters } from '../../components/form/for-writers.tsx'
import { VisibilityField } from '../../components/form/visibility-field.tsx'
import { TypedConfirm } from '../../components/overlay/typed-confirm.tsx'
import { Page, Panel } from '../../components/page/page.tsx'
import { useLinks } from '../../components/page/screens.tsx'
import { Tabs } from '../../components/page/tabs.tsx'
import { visibilityOf } from '../../components/visibility.tsx'
import { useAction, useApiQuery } from '../../data/api.ts'
import { groupAddress, useGroup } from '../../nouns/group/group.ts'
import { GroupTopics } from './group-topics.tsx'
import { texts } from './texts.ts'

/** Settings of a group, for its owners. */
export function GroupSettings() {
  return (
    <Page title={texts.settings}>
      <Tabs label={texts.settingsSections} tabs={useLinks('settings', 'group', useGroup())} />
      <ForWriters>
        <General />
        <GroupAvatar />
        <GroupTopics />
        <Address />
        <Removal />
      </ForWriters>
    </Page>
  )
}

function GroupAvatar() {
  const { group } = useGroup()
  const [avatar, setAvatar] = useState<AvatarChange>()
  const action = useAction('PUT /groups/{id}', {
    showsErrors: true,
    done: texts.avatarSaved,
    onDone: () => setAvatar(undefined),
  })
  return (
    <AvatarPanel
      name={group.name}
      current={group.avatar_url}
      avatar={avatar}
      onAvatar={setAvatar}
      action={action}
      onSave={(body) => action.mutate({ path: { id: group.id }, body })}
    />
  )
}

/** Choices for new projects, with the setting that each stands for. */
const promotions: Readonly<Record<string, boolean | null>> = { inherit: null, automatic: true, manual: false }

function General() {
  const { group } = useGroup()
  const [visibility, setVisibility] = useState(visibilityOf(group.visibility))
  const parent = useApiQuery(
    'GET /groups/{id}',
    { path: { id: group.parent_id ?? 0 }, query: { with_projects: false } },
    { isEnabled: group.parent_id !== null },
  )
  const action = useAction('PUT /groups/{id}', { showsErrors: true, done: texts.saved })
  return (
    <Panel title={texts.general}>
      <ActionForm
        action={action}
        fields={['name', 'description', 'visibility_level', 'promote_vulnerabilities_on_ingestion']}
        submit={texts.save}
        onSubmit={(text) => {
          const promotion = promotions[text('promote_vulnerabilities_on_ingestion')] ?? null
          const named = { name: text('name'), description: text('description') }
          const body = { ...named, visibility, promote_vulnerabilities_on_ingestion: promotion }
          action.mutate({ path: { id: group.id }, body })
        }}
      >
        <TextField label={texts.name} name="name" required defaultValue={group.name} />
        <TextArea
          label={texts.description}
          name="description"
          defaultValue={group.description}
          hint={texts.supportsMarkdownVisibleToEveryone}
        />
        <VisibilityField
          value={visibility}
          max={parent.data ? visibilityOf(parent.data.visibility) : 'public'}
          within={parent.data && texts.theGroup(parent.data.name)}
          onChange={setVisibility}
        />
        <PromotionField />
      </ActionForm>
    </Panel>
  )
}

function PromotionField() {
  const { group } = useGroup()
  const current = group.promote_vulnerabilities_on_ingestion
  return (
    <SelectField
      label={texts.vulnerabilitiesInNewProjects}
      name="promote_vulnerabilities_on_ingestion"
      defaultValue={Object.keys(promotions).find((choice) => promotions[choice] === current)}
      choices={[
        { value: 'inherit', label: group.parent_id === null ? texts.serverDefault : texts.sameAsTheParent },
        { value: 'automatic', label: texts.createAutomatically },
        { value: 'manual', label: texts.createAfterTriage },
      ]}
      hint={texts.defaultForProjectsThatAreCreated}
    />
  )
}

function Address() {
  const { group } = useGroup()
  const [, navigate] = useLocation()
  const [path, setPath] = useState(group.path)
  const action = useAction('PUT /groups/{id}', {
    showsErrors: true,
    done: texts.pathUpdated,
    onDone: ({ full_path: place }) => navigate(`${groupAddress(place)}/-/settings`),
  })
  const above = group.full_path.slice(0, -group.path.length)
  return (
    <Panel title={texts.url}>
      <ActionForm
        action={action}
        fields={['path']}
        submit={texts.changePath}
        kind="plain"
        isDisabled={path.trim() === group.path}
        onSubmit={() => action.mutate({ path: { id: group.id }, body: { path: path.trim() } })}
      >
        <TextField
          label={texts.path}
          name="path"
          required
          value={path}
          onChange={({ target }) => setPath(target.value)}
          hint={texts.urlGroupsChangesTheUrls(above, path.trim() || group.path)}
        />
      </ActionForm>
    </Panel>
  )
}

function Removal() {
  const { group } = useGroup()
  const [, navigate] = useLocation()
  const [isAsked, setAsked] = useState(false)
  const above = group.full_path.split('/').slice(0, -1).join('/')
  const remove = useAction('DELETE /groups/{id}', {
    done: texts.groupDeleted(group.full_path),
    isLeaving: true,
    onDone: () => navigate(above ? groupAddress(above) : '/explore/groups'),
  })
  return (
    <Panel title={texts.deleteLabel}>
      <p>{texts.deletesTheGroupWithAll}</p>
      <div>
        <Button kind="danger" onClick={() => setAsked(true)}>
          {texts.deleteGroup}
        </Button>
      </div>
      {isAsked && (
        <TypedConfirm
          title={texts.deleteLabelName(group.name)}
          lead={texts.thisImmediatelyAndPermanently}
          word={group.full_path}
          confirm={texts.deleteGroup}
          isBusy={remove.isPending}
          onClose={() => setAsked(false)}
          onConfirm={() => remove.mutate({ path: { id: group.id } })}
        />
      )}
    </Panel>
  )
}
