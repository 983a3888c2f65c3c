import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useToast } from '../data/toasts.ts'
import { Button, IconButton } from './button.tsx'

/** Puts a text on the clipboard with one click. */
export function CopyButton({
  text,
  label = 'Copy',
  size = 'small',
  isIcon = false,
}: {
  text: string
  label?: string
  size?: 'small' | 'normal'
  /** True: a picture alone, for rows of tables. */
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
      // Outside https and localhost browsers keep the clipboard to themselves.
      toast({ text: `Your browser does not let this page copy. This is the text: ${text}`, kind: 'error' })
    }
  }

  if (isIcon)
    return <IconButton label={isCopied ? 'Copied' : label} icon={isCopied ? Check : Copy} onClick={() => void copy()} />
  return (
    <Button size={size} icon={isCopied ? Check : Copy} onClick={() => void copy()}>
      {isCopied ? 'Copied' : label}
    </Button>
  )
}
