import { useMemo } from 'react'
import { useGroup } from '../../nouns/group/group.ts'
import type { UploadOwner } from './owner.ts'
import { MarkdownPad } from './pad/pad.tsx'
import { Uploads } from './uploads.tsx'

export function GroupUploads() {
  return <Uploads owner={useOwner()} level={useGroup().level} />
}

export function GroupPad() {
  return <MarkdownPad owner={useOwner()} />
}

function useOwner(): UploadOwner {
  const { id, full_path: path } = useGroup().group
  return useMemo(() => ({ kind: 'group', id, path }), [id, path])
}
