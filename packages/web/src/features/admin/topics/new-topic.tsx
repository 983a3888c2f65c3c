import { useState } from 'react'
import { useLocation } from 'wouter'
import { LinkButton } from '../../../components/button.tsx'
import { ActionForm } from '../../../components/form/action-form.tsx'
import type { AvatarChange } from '../../../components/form/avatar-field.tsx'
import { ForWriters } from '../../../components/form/for-writers.tsx'
import { Page, Panel } from '../../../components/page/page.tsx'
import { useAction } from '../../../data/api.ts'
import { OrganizationField, useOrganization } from './organization-field.tsx'
import { texts } from './texts.ts'
import { readTopicFields, TopicFields, topicFieldNames } from './topic-fields.tsx'

export function NewTopic() {
  const [, navigate] = useLocation()
  const organization = useOrganization()
  const [avatar, setAvatar] = useState<AvatarChange>()
  const create = useAction('POST /topics', {
    done: texts.topicCreated,
    showsErrors: true,
    onDone: ({ id }) => navigate(`/-/admin/topics/${id}`),
  })
  return (
    <Page
      title={texts.newTopic}
      crumbs={[{ label: texts.topics, to: '/-/admin/topics' }]}
      actions={<OrganizationField />}
    >
      <ForWriters>
        <Panel>
          <ActionForm
            action={create}
            fields={topicFieldNames}
            submit={texts.createTopic}
            aside={
              <LinkButton kind="quiet" to="/-/admin/topics">
                {texts.cancel}
              </LinkButton>
            }
            onSubmit={(_, form) =>
              create.mutate({ body: { ...readTopicFields(form, avatar), organization_id: organization } })
            }
          >
            <TopicFields avatar={avatar} onAvatar={setAvatar} />
          </ActionForm>
        </Panel>
      </ForWriters>
    </Page>
  )
}
