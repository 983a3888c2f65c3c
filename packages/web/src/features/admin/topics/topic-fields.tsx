import type { Schemas } from '@alcove/client'
import { useState } from 'react'
import { type AvatarChange, AvatarField, avatarBody } from '../../../components/form/avatar-field.tsx'
import { TextArea, TextField } from '../../../components/form/field.tsx'
import styles from '../admin.module.css'
import { texts } from './texts.ts'

type Topic = Schemas['Topic']

export const topicFieldNames = ['name', 'title', 'description', 'avatar']

export function TopicFields({
  topic,
  avatar,
  onAvatar,
}: {
  topic?: Topic
  avatar: AvatarChange
  onAvatar: (avatar: AvatarChange) => void
}) {
  const [title, setTitle] = useState(topic?.title ?? '')
  return (
    <>
      <div className={styles.pair}>
        <TextField
          label={texts.name}
          name="name"
          required
          defaultValue={topic?.name}
          hint={texts.usedInUrlsForExample}
        />
        <TextField
          label={texts.title}
          name="title"
          required
          value={title}
          onChange={({ target }) => setTitle(target.value)}
          hint={texts.displayNameForExample}
        />
      </div>
      <TextArea
        label={texts.description}
        name="description"
        defaultValue={topic?.description ?? ''}
        hint={texts.supportsMarkdown}
      />
      <AvatarField name={title} current={topic?.avatar_url ?? null} avatar={avatar} onAvatar={onAvatar} />
    </>
  )
}

/** Reads the fields into an API request body. */
export function readTopicFields(form: HTMLFormElement, avatar: AvatarChange) {
  const fields = new FormData(form)
  const text = (name: string) => String(fields.get(name) ?? '')
  return {
    name: text('name').trim(),
    title: text('title').trim(),
    description: text('description'),
    ...avatarBody(avatar),
  }
}
