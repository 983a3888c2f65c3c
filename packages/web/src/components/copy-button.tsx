import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button } from './button.tsx'
import { useToast } from './toast.tsx'

/** Puts a text on the clipboard with one click. */
export function CopyButton({
  text,
  label = 'Copy',
  size = 'small',
}: {
  text: string
  label?: string
  size?: 'small' | 'normal'
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

  return (
    <Button size={size} icon={isCopied ? Check : Copy} onClick={() => void copy()}>
      {isCopied ? 'Copied' : label}
    </Button>
  )
}
