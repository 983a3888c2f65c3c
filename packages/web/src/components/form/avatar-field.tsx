import { useEffect, useId, useState } from 'react'
import { Avatar } from '../avatar.tsx'
import { Button } from '../button.tsx'
import { formatBytes } from '../format.ts'
import { Panel } from '../page/page.tsx'
import { texts } from '../texts.ts'
import { ActionForm } from './action-form.tsx'
import styles from './avatar-field.module.css'
import { useFieldProblem } from './field.tsx'

/** New avatar file; `null` removes the avatar, undefined leaves it unchanged. */
export type AvatarChange = File | null | undefined

/** Value of `avatar` that removes it. The OpenAPI document has no type for it. */
const blank = '' as unknown as Blob

/** Returns the change as a part of a request's body. */
export function avatarBody(avatar: AvatarChange): { avatar?: Blob } {
  return avatar === undefined ? {} : { avatar: avatar ?? blank }
}

const maxBytes = 200 * 1024
const types = ['png', 'jpeg', 'gif', 'bmp', 'tiff', 'vnd.microsoft.icon', 'x-icon'].map((type) => `image/${type}`)

/** Returns why the server would reject the file. */
function problemOf(file: File): string | undefined {
  if (file.type !== '' && !types.includes(file.type)) {
    return texts.hasAnotherFormatChoose(file.name)
  }
  if (file.size <= maxBytes) return undefined
  return texts.isChooseAPicture(file.name, formatBytes(file.size), formatBytes(maxBytes))
}

interface AvatarFieldProps {
  /** Name of the object, for the letter in place of a picture. */
  name: string
  current: string | null
  avatar: AvatarChange
  onAvatar: (avatar: AvatarChange) => void
}

/** Field for an avatar, with a preview of the chosen file. */
export function AvatarField({ name, current, avatar, onAvatar }: AvatarFieldProps) {
  const id = useId()
  const reported = useFieldProblem('avatar')
  const [rejected, setRejected] = useState<string>()
  const problem = rejected ?? reported
  const chosen = useObjectUrl(avatar ?? undefined)
  const shown = avatar === undefined ? current : (chosen ?? null)
  const change = (avatar: AvatarChange) => {
    setRejected(undefined)
    onAvatar(avatar)
  }
  return (
    <div className="stack-tight">
      <label htmlFor={id} className={styles.label}>
        {texts.avatar}
      </label>
      <div className={styles.field}>
        <Avatar name={name} url={shown} size="large" />
        <input
          id={id}
          type="file"
          accept={types.join()}
          aria-describedby={`${id}-note`}
          aria-invalid={problem ? true : undefined}
          className={styles.file}
          key={avatar === undefined ? 'none' : avatar === null ? 'removed' : 'chosen'}
          onChange={({ target }) => {
            const file = target.files?.[0]
            const problem = file && problemOf(file)
            change(problem ? undefined : file)
            setRejected(problem)
          }}
        />
        {avatar !== undefined && (
          <Button size="small" onClick={() => change(undefined)}>
            {avatar === null ? texts.keepAvatar : texts.discard}
          </Button>
        )}
        {avatar === undefined && current && (
          <Button size="small" onClick={() => change(null)}>
            {texts.removeAvatar}
          </Button>
        )}
      </div>
      <p
        id={`${id}-note`}
        role={problem ? 'alert' : undefined}
        className={problem ? `small ${styles.problem}` : 'muted small'}
      >
        {problem ?? texts.pngJpegGifBmp(formatBytes(maxBytes))}
      </p>
    </div>
  )
}

/** Panel that changes only the avatar. The caller clears `avatar` when the action is done. */
export function AvatarPanel({
  action,
  onSave,
  ...field
}: AvatarFieldProps & {
  action: { error: Error | null; isPending: boolean }
  onSave: (body: { avatar: Blob }) => void
}) {
  const { avatar } = field
  return (
    <Panel title={texts.avatar}>
      <ActionForm
        action={action}
        fields={['avatar']}
        submit={texts.saveAvatar}
        kind="plain"
        isDisabled={avatar === undefined}
        onSubmit={() => onSave({ avatar: avatar ?? blank })}
      >
        <AvatarField {...field} />
      </ActionForm>
    </Panel>
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
