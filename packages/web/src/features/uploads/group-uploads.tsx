import { useMemo } from 'react'
import { NotFound } from '../../components/page/not-found.tsx'
import { useGroup } from '../../nouns/group/group.ts'
import type { UploadOwner } from './owner.ts'
import { MarkdownPad } from './pad/pad.tsx'
import { Uploads } from './uploads.tsx'

/** Uploads of a group. `part` is the path segment after `uploads/`. */
export function GroupUploads({ part }: { part: string | undefined }) {
  const { group, level } = useGroup()
  const { id, full_path: path } = group
  const owner = useMemo((): UploadOwner => ({ kind: 'group', id, path }), [id, path])
  if (part === 'pad') return <MarkdownPad owner={owner} />
  if (part) return <NotFound />
  return <Uploads owner={owner} level={level} />
}
