import { beforeAll, describe, expect, test } from "vitest";
import { loadColour, loadTypeset } from "../../src/markdown/late.js";
import { MarkdownStream, renderMarkdown } from "../../src/markdown/stream.js";
import { CORPUS, expectHarmless } from "../hostile.js";

const NAMES = new Set(
  "P H3 H4 H5 H6 STRONG EM DEL CODE PRE BR HR UL OL LI BLOCKQUOTE TABLE THEAD TBODY TR TH TD A SPAN DIV BUTTON INPUT IMG".split(
    " ",
  ),
);
const ATTRIBUTES = new Set(
  (
    "class href title target rel start type disabled checked src alt data-bnb-copy data-bnb-insert data-bnb-image data-bnb-alt " +
    "data-bnb-plain data-bnb-tex tabindex"
  ).split(" "),
);
const MATHML = "http://www.w3.org/1998/Math/MathML";

function render(text: string): HTMLElement {
  const root = document.createElement("div");
  renderMarkdown(root, text);
  return root;
}

function expectKnown(root: Element): void {
  expectHarmless(root);
  for (const element of root.querySelectorAll("*")) {
    if (element.namespaceURI === MATHML) continue;
    expect(NAMES).toContain(element.tagName);
    for (const { name } of element.attributes) expect(ATTRIBUTES).toContain(name);
  }
}

describe.each(["before", "after"])("hostile text, %s colours and formulas are there", (when) => {
  if (when === "after") {
    beforeAll(async () => {
      await loadColour();
      await loadTypeset();
    });
  }
  for (const [kind, texts] of Object.entries(CORPUS)) {
    test(`${kind}: makes only known elements and attributes, at once and in pieces`, () => {
      for (const text of texts) {
        expectKnown(render(text));
        const root = document.createElement("div");
        const stream = new MarkdownStream(root);
        const width = Math.max(1, Math.ceil(text.length / 60));
        for (let at = 0; at < text.length; at += width) {
          stream.push(text.slice(at, at + width));
          stream.flush();
          expectKnown(root);
        }
      }
    });
  }
});

describe("what is kept of it", () => {
  test("raw HTML is shown as the text that it is", () => {
    expect(render("<b onclick=x>hi</b>").textContent).toBe("<b onclick=x>hi</b>");
  });

  test("a link opens elsewhere and tells nothing", () => {
    const anchor = render("[a](https://example.org)").querySelector("a");
    expect(anchor?.getAttribute("rel")).toBe("noopener noreferrer nofollow");
    expect(anchor?.getAttribute("target")).toBe("_blank");
  });

  test("a link that names another host shows where it goes", () => {
    expect(render("[https://bank.example](https://evil.example/x)").textContent).toContain("(evil.example)");
    expect(render("[www.bank.example](https://bank.example/x)").textContent).toBe("www.bank.example");
    expect(render("[pay](https://bank.example@evil.example)").textContent).toContain("(evil.example)");
    expect(render("[pay](https://b\u0430nk.example)").textContent).toContain("(xn--bnk-6cd.example)");
  });

  test("a remote image asks before it loads and names its host", () => {
    const root = render("![chart](https://track.example/p.png?who=me)");
    expect(root.querySelector("img")).toBeNull();
    expect(root.querySelector("button")?.textContent).toBe("chart (track.example)");
  });

  test("a picture inside the text is shown", () => {
    expect(render("![dot](data:image/png;base64,iVBORw0KGgo=)").querySelector("img")?.alt).toBe("dot");
    expect(render("![dot](data:image/svg+xml;base64,PHN2Zz4=)").querySelector("img")).toBeNull();
  });
});
