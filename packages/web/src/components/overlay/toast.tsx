import { X } from 'lucide-react'
import { type ReactNode, type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { type Message, ToastContext } from '../../data/toasts.ts'
import { Button, IconButton } from '../button.tsx'
import { texts } from '../texts.ts'
import { findFreePlace } from './free-place.ts'
import styles from './toast.module.css'

const shownMs = 7000
const maxShown = 4

/** Shows toasts. They stay while hovered or focused; errors stay until they are closed. */
export function ToastProvider({ children }: { children: ReactNode }) {
  const [messages, setMessages] = useState<(Message & { id: number })[]>([])
  const lastId = useRef(0)
  const show = useCallback((message: Message) => {
    lastId.current += 1
    const id = lastId.current
    setMessages((shown) => {
      const others = shown.filter(({ topic }) => topic === undefined || topic !== message.topic)
      return [...others, { ...message, id }].slice(-maxShown)
    })
  }, [])
  const region = useRef<HTMLElement>(null)
  useFreePlace(region, messages.length > 0)
  const close = useCallback((id: number) => setMessages((shown) => shown.filter((message) => message.id !== id)), [])
  return (
    <ToastContext value={show}>
      {children}
      <section ref={region} aria-label={texts.messages} aria-live="polite" className={styles.region}>
        {messages.map((message) => (
          <Toast key={message.id} message={message} onClose={() => close(message.id)} />
        ))}
      </section>
    </ToastContext>
  )
}

/** Keeps the toasts away from visible controls when they, the page or the focus change, and after the user has scrolled. */
function useFreePlace(region: RefObject<HTMLElement | null>, isShown: boolean): void {
  useLayoutEffect(() => {
    const toasts = region.current
    if (!toasts || !isShown) return
    const place = () => {
      const { right, up } = findFreePlace(toasts)
      toasts.style.transform = `translate(${right}px, -${up}px)`
    }
    const placeUnlessUsed = () => {
      if (!toasts.matches(':hover, :focus-within')) place()
    }
    const watch = new ResizeObserver(place)
    watch.observe(toasts)
    watch.observe(document.body)
    document.addEventListener('focusin', placeUnlessUsed)
    document.addEventListener('scrollend', placeUnlessUsed)
    return () => {
      watch.disconnect()
      document.removeEventListener('focusin', placeUnlessUsed)
      document.removeEventListener('scrollend', placeUnlessUsed)
    }
  }, [region, isShown])
}

function Toast({ message, onClose }: { message: Message; onClose: () => void }) {
  const [isHeld, setHeld] = useState(false)
  const stays = isHeld || message.kind === 'error'
  const closeLater = useRef(onClose)
  closeLater.current = onClose
  useEffect(() => {
    if (stays) return
    const timer = setTimeout(() => closeLater.current(), shownMs)
    return () => clearTimeout(timer)
  }, [stays])
  const { action } = message
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it stays open while the pointer or the focus is inside it
    <div
      className={`${styles.toast} ${message.kind === 'error' ? styles.error : ''}`}
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <p className={styles.text}>{message.text}</p>
      {action && (
        <Button
          size="small"
          onClick={() => {
            action.run()
            onClose()
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton label={texts.dismissMessage} icon={X} onClick={onClose} />
    </div>
  )
}
