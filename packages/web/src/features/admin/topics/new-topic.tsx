import { useState } from 'react'
import { useLocation } from 'wouter'
import { Button, LinkButton } from '../../../components/button.tsx'
import { ForWriters } from '../../../components/for-writers.tsx'
import { Page, Panel } from '../../../components/page.tsx'
import { Problem, problemsOf } from '../../../components/problem.tsx'
import { useAction } from '../../../data/api.ts'
import styles from '../admin.module.css'
import { OrganizationField, useOrganization } from './organization-field.tsx'
import { type AvatarChange, readTopicFields, TopicFields } from './topic-fields.tsx'

export function NewTopic() {
  const [, navigate] = useLocation()
  const organization = useOrganization()
  const [avatar, setAvatar] = useState<AvatarChange>()
  const create = useAction('POST /topics', {
    done: 'Topic created.',
    showsErrors: true,
    onDone: ({ id }) => navigate(`/-/admin/topics/${id}`),
  })
  const { fields: problems, rest } = problemsOf(create.error, ['name', 'title', 'description', 'avatar'])
  return (
    <Page title="New topic" crumbs={[{ label: 'Topics', to: '/-/admin/topics' }]} actions={<OrganizationField />}>
      <ForWriters>
        <Panel>
          <form
            className={styles.form}
            onSubmit={(event) => {
              event.preventDefault()
              const fields = readTopicFields(event.currentTarget, avatar)
              create.mutate({ body: { ...fields, organization_id: organization } })
            }}
          >
            <TopicFields problems={problems} avatar={avatar} onAvatar={setAvatar} />
            <Problem text={rest} />
            <div className="row">
              <Button type="submit" kind="primary" isBusy={create.isPending}>
                Create topic
              </Button>
              <LinkButton kind="quiet" to="/-/admin/topics">
                Cancel
              </LinkButton>
            </div>
          </form>
        </Panel>
      </ForWriters>
    </Page>
  )
}
