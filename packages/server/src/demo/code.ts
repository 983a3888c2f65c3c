/** Invented code with a flaw, as a scanner of the demo shows it. */
export interface CodeSample {
  lines: readonly string[]
  /** Index of the line where the value of a user comes in. */
  source: number
  /** Index of the line with the flaw. */
  sink: number
  /** Replaces the line with the flaw. */
  fix: string
}

/** Returns code with a weakness, in the language of a file ending; undefined for weaknesses that no sample has. */
export function sampleOf(extension: string, cwe: number): CodeSample | undefined {
  const text = samples[extension]?.[cwe]
  return text === undefined ? undefined : parse(text)
}

/** Reads a sample whose lines begin with `?` for the source, `!` for the flaw, `+` for its fix, and blanks otherwise. */
function parse(text: string): CodeSample {
  const marked = text.replace(/^\n|\n$/g, '').split('\n')
  const lines = marked.filter((line) => !line.startsWith('+'))
  const textOf = (line: string) => line.slice(2)
  return {
    lines: lines.map(textOf),
    source: lines.findIndex((line) => line.startsWith('?')),
    sink: lines.findIndex((line) => line.startsWith('!')),
    fix: textOf(marked.find((line) => line.startsWith('+')) ?? ''),
  }
}

/** Samples by file ending and weakness. */
export const samples: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  ts: {
    89: `
  export async function findOrders(request: Request, db: Database) {
?   const customer = request.query.get('customer')
    if (customer === null) return []

    const columns = 'id, placed_at, total'
!   const rows = await db.all(\`select \${columns} from orders where customer = '\${customer}'\`)
+   const rows = await db.all(\`select \${columns} from orders where customer = ?\`, [customer])
    // The newest order comes first.
    rows.sort((a, b) => b.placed_at - a.placed_at)
    return rows.map((row) => ({ ...row, total: row.total / 100 }))
  }`,
    79: `
  function showResults(form: HTMLFormElement, list: HTMLElement) {
?   const words = new FormData(form).get('q')
    const count = list.children.length

    const heading = document.createElement('h2')
!   heading.innerHTML = \`\${count} results for \${words}\`
+   heading.textContent = \`\${count} results for \${words}\`
    list.before(heading)
    heading.tabIndex = -1
    heading.focus()
  }`,
    22: `
  export async function sendPicture(request: Request): Promise<Response> {
?   const name = new URL(request.url).searchParams.get('name') ?? 'none.png'
    const folder = process.env.PICTURES ?? '/srv/pictures'

    // Pictures never change, so browsers may cache them.
!   const bytes = await readFile(\`\${folder}/\${name}\`)
+   const bytes = await readFile(join(folder, basename(name)))
    return new Response(bytes, {
      headers: { 'cache-control': 'max-age=86400', 'content-type': typeOf(name) },
    })
  }`,
    601: `
  export function afterSignIn(request: Request, session: Session): Response {
?   const target = request.query.get('return_to') ?? '/'
    session.signedInAt = Date.now()
    session.save()

!   return Response.redirect(target, 303)
+   return Response.redirect(new URL(target, origin).pathname, 303)
  }`,
  },
  py: {
    89: `
  def invoices_of(request, connection):
?     customer = request.args.get("customer")
      cursor = connection.cursor()

      # Drafts are not sent yet.
!     cursor.execute("select id, total from invoices where not draft and customer = '" + customer + "'")
+     cursor.execute("select id, total from invoices where not draft and customer = %s", (customer,))
      rows = cursor.fetchall()
      return [Invoice(id=row[0], total=row[1]) for row in rows]`,
    78: `
  def convert(request):
?     name = request.form["file"]
      target = os.path.join(OUTPUT, "invoice.pdf")
      log.info("converting %s", name)

!     subprocess.run("convert " + name + " " + target, shell=True, check=True)
+     subprocess.run(["convert", "--", name, target], check=True)
      with open(target, "rb") as file:
          return Response(file.read(), mimetype="application/pdf")`,
    328: `
  def create_account(form):
?     password = form["password"]
      if len(password) < 12:
          raise ValueError("The password is too short.")

!     digest = hashlib.md5(password.encode()).hexdigest()
+     digest = argon2.PasswordHasher().hash(password)
      account = Account(name=form["name"], password=digest)
      account.save()
      return account`,
  },
  java: {
    89: `
  public List<Product> search(HttpServletRequest request) throws SQLException {
?     String words = request.getParameter("q");
      int page = Integer.parseInt(request.getParameter("page"));

      try (Statement statement = connection.createStatement()) {
!         ResultSet rows = statement.executeQuery("select * from products where name like '%" + words + "%'");
+         ResultSet rows = bind(connection, "select * from products where name like ?", "%" + words + "%");
          return productsOf(rows, page);
      }
  }`,
    611: `
  public Document read(HttpServletRequest request) throws Exception {
?     InputStream body = request.getInputStream();
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setNamespaceAware(true);

!     DocumentBuilder builder = factory.newDocumentBuilder();
+     DocumentBuilder builder = withoutExternalEntities(factory).newDocumentBuilder();
      Document document = builder.parse(body);
      document.getDocumentElement().normalize();
      return document;
  }`,
  },
  go: {
    22: `
  func download(w http.ResponseWriter, r *http.Request) {
?     name := r.URL.Query().Get("file")
      if name == "" {
          http.Error(w, "file is missing", http.StatusBadRequest)
          return
      }
!     path := filepath.Join(statements, name)
+     path := filepath.Join(statements, filepath.Base(name))
      log.Printf("download of %q", path)
      http.ServeFile(w, r, path)
  }`,
    295: `
  func newClient(settings Settings) *http.Client {
?     proxy := http.ProxyURL(settings.Proxy)
      transport := &http.Transport{
          Proxy:           proxy,
          MaxIdleConns:    settings.Connections,
!         TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
+         TLSClientConfig: &tls.Config{RootCAs: settings.Authorities},
      }
      return &http.Client{Transport: transport, Timeout: 10 * time.Second}
  }`,
    918: `
  func preview(w http.ResponseWriter, r *http.Request) {
?     address := r.FormValue("url")
      client := &http.Client{Timeout: 5 * time.Second}

      // The title of the page becomes the title of the link.
!     reply, err := client.Get(address)
+     reply, err := client.Get(allowed(address))
      if err != nil {
          http.Error(w, "the page does not respond", http.StatusBadGateway)
          return
      }
      defer reply.Body.Close()
      writeTitle(w, reply.Body)
  }`,
  },
  kt: {
    79: `
  class ArticleView(private val view: WebView) {
      fun show(intent: Intent) {
?         val title = intent.getStringExtra("title")
          val text = intent.getStringExtra("text")

!         view.loadData("<h1>$title</h1><p>$text</p>", "text/html", "utf-8")
+         view.loadData(article(Html.escapeHtml(title), Html.escapeHtml(text)), "text/html", "utf-8")
          view.settings.javaScriptEnabled = false
      }
  }`,
    338: `
  object Vouchers {
      private const val LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ"

?     fun create(length: Int): String {
          require(length in 8..32)
!         val random = java.util.Random()
+         val random = java.security.SecureRandom()
          return (1..length).map { LETTERS[random.nextInt(LETTERS.length)] }.joinToString("")
      }
  }`,
  },
}
