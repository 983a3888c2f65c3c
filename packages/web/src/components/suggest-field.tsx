import { Combobox } from '@base-ui/react/combobox'
import { Check, X } from 'lucide-react'
import { type FocusEvent, type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { Field, type FieldProps } from './field.tsx'
import styles from './suggest.module.css'

interface SuggestProps<T> extends FieldProps {
  /** What is suggested for the text. */
  items: readonly T[]
  /** Tells it from all others. */
  keyOf: (item: T) => string
  /** Names it, in the field and to screen readers. */
  nameOf: (item: T) => string
  /** What a suggestion shows. */
  children: (item: T) => ReactNode
  /** What is to be said about the suggestions, such as that there are none; mostly nothing. */
  status: string
  text: string
  onText: (text: string) => void
  placeholder: string
  /** True: Enter takes the first suggestion. */
  takesFirst?: boolean
  /** True: the typing can begin as soon as it is there. */
  isFocused?: boolean
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void
}

/** One thing out of many, looked up while one types. */
export function SuggestField<T>({
  value,
  onChange,
  ...props
}: SuggestProps<T> & { value: T | undefined; onChange: (item: T | undefined) => void }) {
  const list = useList()
  return (
    <Combobox.Root
      {...rootOf(props)}
      {...list}
      value={value ?? null}
      onValueChange={(item: T | null, { reason }) => {
        if (reason !== 'escape-key') onChange(item ?? undefined)
      }}
    >
      <Around
        {...props}
        onLeave={() => list.onOpenChange(false)}
        frame={(input, ref) => (
          <div ref={ref} className={styles.group}>
            {input}
          </div>
        )}
      />
    </Combobox.Root>
  )
}

/** Several things; what is chosen stands before the text. */
export function SuggestManyField<T>({
  value,
  onChange,
  removalOf,
  ...props
}: SuggestProps<T> & {
  value: readonly T[]
  onChange: (items: T[]) => void
  /** What the button says that takes it away. */
  removalOf: (item: T) => string
}) {
  const { label, keyOf, nameOf, onText } = props
  const list = useList()
  return (
    <Combobox.Root
      {...rootOf(props)}
      {...list}
      multiple
      // Closing the list takes nothing away that was typed.
      onInputValueChange={(text, { reason }) => reason !== 'input-clear' && onText(text)}
      value={[...value]}
      onValueChange={(items: T[], { reason }) => {
        // Escape closes the suggestions; pressed once more it is not meant to take away what was chosen.
        if (reason === 'escape-key') return
        onChange(items)
        onText('')
      }}
    >
      <Around
        {...props}
        onLeave={() => list.onOpenChange(false)}
        frame={(input, ref) => (
          <Combobox.Chips
            ref={ref}
            className={styles.group}
            aria-label={value.length > 0 ? `${label}: chosen` : undefined}
          >
            {value.map((item) => (
              <Combobox.Chip key={keyOf(item)} className={styles.chip} aria-label={nameOf(item)}>
                {nameOf(item)}
                <Combobox.ChipRemove className={styles.remove} aria-label={removalOf(item)}>
                  <X size={13} aria-hidden="true" />
                </Combobox.ChipRemove>
              </Combobox.Chip>
            ))}
            {input}
          </Combobox.Chips>
        )}
      />
    </Combobox.Root>
  )
}

/** What both say to Base UI, which filters nothing itself: the server has. */
function rootOf<T>({ items, keyOf, nameOf, text, onText, takesFirst = false }: SuggestProps<T>) {
  return {
    items,
    filter: null,
    autoHighlight: takesFirst,
    itemToStringLabel: nameOf,
    isItemEqualToValue: (one: T, other: T) => keyOf(one) === keyOf(other),
    inputValue: text,
    onInputValueChange: onText,
  }
}

/** Whether the list is shown. Without a popup of Base UI's own nothing but this tells it to take the list away. */
function useList() {
  const [open, onOpenChange] = useState(false)
  const actionsRef = useRef<Combobox.Root.Actions | null>(null)
  useEffect(() => {
    if (!open) actionsRef.current?.unmount()
  }, [open])
  return { open, onOpenChange, actionsRef }
}

/**
 * The field with its list. Base UI's own popup would hide the rest of the page from screen readers, labels and what is chosen
 * with it, which a list below a field has no need of. It stands inside the field, so that it is part of the page or dialog
 * that the field is in, and closes when the focus goes elsewhere.
 */
function Around<T>({
  label,
  hint,
  error,
  isLabelHidden = false,
  keyOf,
  children: show,
  status,
  placeholder,
  isFocused = false,
  onKeyDown,
  onLeave,
  frame,
}: SuggestProps<T> & {
  onLeave: () => void
  /** What stands around the input; the list is as wide. */
  frame: (input: ReactNode, ref: RefObject<HTMLDivElement | null>) => ReactNode
}) {
  const place = useRef<HTMLDivElement>(null)
  const anchor = useRef<HTMLDivElement>(null)
  function leave({ currentTarget, relatedTarget }: FocusEvent) {
    if (!currentTarget.contains(relatedTarget)) onLeave()
  }
  return (
    <Field label={label} hint={hint} isLabelHidden={isLabelHidden} {...(error && { error })}>
      {(ids) => (
        // biome-ignore lint/a11y/noStaticElementInteractions: it observes the focus of the elements inside it
        <div ref={place} onBlur={leave}>
          {frame(
            <Combobox.Input
              {...ids}
              className={styles.input}
              placeholder={placeholder}
              autoFocus={isFocused}
              {...(onKeyDown && { onKeyDown })}
            />,
            anchor,
          )}
          <Combobox.Portal container={place}>
            <Combobox.Positioner
              className={styles.positioner}
              anchor={anchor}
              sideOffset={4}
              positionMethod="fixed" // so that no dialog cuts it off
            >
              {/* biome-ignore lint/a11y/noStaticElementInteractions: it keeps the focus in the field */}
              <div className={styles.popup} onMouseDown={(event) => event.preventDefault()}>
                <Combobox.Status className={styles.status}>{status}</Combobox.Status>
                <Combobox.List aria-label={label}>
                  {(item: T) => (
                    <Combobox.Item key={keyOf(item)} value={item} className={styles.item}>
                      {show(item)}
                      <Combobox.ItemIndicator>
                        <Check size={14} aria-hidden="true" />
                      </Combobox.ItemIndicator>
                    </Combobox.Item>
                  )}
                </Combobox.List>
              </div>
            </Combobox.Positioner>
          </Combobox.Portal>
        </div>
      )}
    </Field>
  )
}
