import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { QueryResult } from '../../../components/page/states.tsx'
import type { StoredFile } from '../owner.ts'
import { texts } from '../texts.ts'
import { fetchFile } from './fetch-file.ts'
import styles from './preview-body.module.css'
import { PreviewFacts } from './preview-facts.tsx'

/**
 * PDF preview from fetched bytes. Uploads are served with a sandbox policy, which disables the browser's PDF viewer.
 */
export function PreviewPdf({ file }: { file: StoredFile }) {
  const canShow = navigator.pdfViewerEnabled
  const query = useQuery({
    queryKey: ['upload', file.fullPath],
    queryFn: ({ signal }) => fetchFile(file, { signal }),
    enabled: canShow,
    staleTime: Infinity,
    gcTime: 0,
  })
  if (!canShow) return <PreviewFacts file={file} note={texts.yourBrowserCannotDisplay} />
  return <QueryResult query={query}>{(bytes) => <Frame bytes={bytes} name={file.name} />}</QueryResult>
}

function Frame({ bytes, name }: { bytes: Blob; name: string }) {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    // The explicit type prevents the browser from rendering other content, such as HTML.
    const made = URL.createObjectURL(new Blob([bytes], { type: 'application/pdf' }))
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [bytes])
  return address && <iframe src={address} title={name} className={styles.frame} />
}
