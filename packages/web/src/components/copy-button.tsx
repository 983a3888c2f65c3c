import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useToast } from '../data/toasts.ts'
import { Button, IconButton } from './button.tsx'
import { texts } from './texts.ts'

/** Button that copies a text to the clipboard. */
export function CopyButton({
  text,
  label = texts.copy,
  size = 'small',
  isIcon = false,
}: {
  text: string
  label?: string
  size?: 'small' | 'normal'
  /** True: shows only an icon, for table rows. */
  isIcon?: boolean
}) {
  const toast = useToast()
  const [isCopied, setCopied] = useState(false)
  useEffect(() => {
    if (!isCopied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [isCopied])

  async function copy() {
    try {
      await navigator.clipboard.writeText(text)
      setCopied(true)
    } catch {
      // Browsers allow clipboard access only on HTTPS and localhost.
      toast({ text: texts.yourBrowserBlockedCopying(text), kind: 'error' })
    }
  }

  if (isIcon)
    return (
      <IconButton label={isCopied ? texts.copied : label} icon={isCopied ? Check : Copy} onClick={() => void copy()} />
    )
  return (
    <Button size={size} icon={isCopied ? Check : Copy} onClick={() => void copy()}>
      {isCopied ? texts.copied : label}
    </Button>
  )
}
