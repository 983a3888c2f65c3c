import type { Schemas } from '@alcove/client'
import { useEffect, useId, useState } from 'react'
import { Avatar } from '../../../components/avatar.tsx'
import { Button } from '../../../components/button.tsx'
import { TextArea, TextField } from '../../../components/field.tsx'
import styles from '../admin.module.css'

type Topic = Schemas['Topic']

/** A file that was chosen; `null` to take the picture off; absent to leave it. */
export type AvatarChange = File | null | undefined

export function TopicFields({
  topic,
  problems,
  avatar,
  onAvatar,
}: {
  topic?: Topic
  problems: Readonly<Record<string, string | undefined>>
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
          hint="As it stands in addresses and in projects, such as data-science."
          error={problems['name']}
        />
        <TextField
          label="Title"
          name="title"
          required
          value={title}
          onChange={({ target }) => setTitle(target.value)}
          hint="As people read it, such as Data science."
          error={problems['title']}
        />
      </div>
      <TextArea
        label="Description"
        name="description"
        defaultValue={topic?.description ?? ''}
        hint="Markdown works here."
        error={problems['description']}
      />
      <AvatarField
        name={title}
        current={topic?.avatar_url ?? null}
        avatar={avatar}
        onAvatar={onAvatar}
        problem={problems['avatar']}
      />
    </>
  )
}

/** Shows what the picture will be before it is sent. */
function AvatarField({
  name,
  current,
  avatar,
  onAvatar,
  problem,
}: {
  name: string
  current: string | null
  avatar: AvatarChange
  onAvatar: (avatar: AvatarChange) => void
  problem: string | undefined
}) {
  const id = useId()
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
            {avatar === null ? 'Keep the picture' : 'Do not use it'}
          </Button>
        )}
        {avatar === undefined && current && (
          <Button size="small" onClick={() => onAvatar(null)}>
            Remove the picture
          </Button>
        )}
      </div>
      <p id={`${id}-note`} className={problem ? `small ${styles.problem}` : 'muted small'}>
        {problem ?? 'A picture of at most 200 KiB.'}
      </p>
    </div>
  )
}

/** An address of the file for as long as it is shown. */
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

const blank = '' as unknown as Blob // takes off what is there, for which the document has no type

/** What the fields hold, as the API takes it. */
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
