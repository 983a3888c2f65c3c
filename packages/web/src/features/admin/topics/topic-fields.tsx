import type { Schemas } from '@alcove/client'
import { useEffect, useId, useState } from 'react'
import { Avatar } from '../../../components/avatar.tsx'
import { Button } from '../../../components/button.tsx'
import { TextArea, TextField, useFieldProblem } from '../../../components/form/field.tsx'
import styles from '../admin.module.css'

type Topic = Schemas['Topic']

/** New avatar file; `null` removes the avatar, undefined leaves it unchanged. */
export type AvatarChange = File | null | undefined

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
          label="Name"
          name="name"
          required
          defaultValue={topic?.name}
          hint="Used in URLs, for example data-science."
        />
        <TextField
          label="Title"
          name="title"
          required
          value={title}
          onChange={({ target }) => setTitle(target.value)}
          hint="Display name, for example Data science."
        />
      </div>
      <TextArea
        label="Description"
        name="description"
        defaultValue={topic?.description ?? ''}
        hint="Supports Markdown."
      />
      <AvatarField name={title} current={topic?.avatar_url ?? null} avatar={avatar} onAvatar={onAvatar} />
    </>
  )
}

/** Field for an avatar, with a preview of the chosen file. */
function AvatarField({
  name,
  current,
  avatar,
  onAvatar,
}: {
  name: string
  current: string | null
  avatar: AvatarChange
  onAvatar: (avatar: AvatarChange) => void
}) {
  const id = useId()
  const problem = useFieldProblem('avatar')
  const chosen = useObjectUrl(avatar ?? undefined)
  const shown = avatar === undefined ? current : (chosen ?? null)
  return (
    <div className="stack-tight">
      <label htmlFor={id} className={styles.label}>
        Avatar
      </label>
      <div className={styles.avatar}>
        <Avatar name={name} url={shown} size="large" />
        <input
          id={id}
          type="file"
          accept="image/png,image/jpeg,image/gif,image/webp,image/bmp,image/tiff,image/vnd.microsoft.icon"
          aria-describedby={`${id}-note`}
          aria-invalid={problem ? true : undefined}
          className={styles.file}
          key={avatar === undefined ? 'none' : avatar === null ? 'removed' : 'chosen'}
          onChange={({ target }) => onAvatar(target.files?.[0])}
        />
        {avatar !== undefined && (
          <Button size="small" onClick={() => onAvatar(undefined)}>
            {avatar === null ? 'Keep avatar' : 'Discard'}
          </Button>
        )}
        {avatar === undefined && current && (
          <Button size="small" onClick={() => onAvatar(null)}>
            Remove avatar
          </Button>
        )}
      </div>
      <p id={`${id}-note`} className={problem ? `small ${styles.problem}` : 'muted small'}>
        {problem ?? 'Maximum size: 200 KiB.'}
      </p>
    </div>
  )
}

/** Returns an object URL for a file and revokes it on unmount. */
function useObjectUrl(file: File | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (!file) return setUrl(undefined)
    const made = URL.createObjectURL(file)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [file])
  return url
}

const blank = '' as unknown as Blob // removes the avatar; the OpenAPI document has no type for it

/** Reads the fields into an API request body. */
export function readTopicFields(form: HTMLFormElement, avatar: AvatarChange) {
  const fields = new FormData(form)
  const text = (name: string) => String(fields.get(name) ?? '')
  return {
    name: text('name').trim(),
    title: text('title').trim(),
    description: text('description'),
    ...(avatar !== undefined && { avatar: avatar ?? blank }),
  }
}
