import { describe, expect, test } from "vitest";
import { renderMarkdown } from "../../src/markdown/stream.js";
import { HOSTILE } from "../hostile.js";

const NAMES = new Set(
  "P H3 H4 H5 H6 STRONG EM DEL CODE PRE BR HR UL OL LI BLOCKQUOTE TABLE THEAD TBODY TR TH TD A SPAN DIV BUTTON INPUT IMG".split(
    " ",
  ),
);
const ATTRIBUTES = new Set(
  "class href title target rel start type disabled checked src alt data-bnb-copy data-bnb-image data-bnb-alt data-bnb-plain data-bnb-tex".split(
    " ",
  ),
);

function render(text: string): HTMLElement {
  const root = document.createElement("div");
  renderMarkdown(root, text);
  return root;
}

describe("hostile text", () => {
  for (const text of HOSTILE) {
    test(`makes only known elements and attributes: ${JSON.stringify(text).slice(0, 70)}`, () => {
      for (const element of render(text).querySelectorAll("*")) {
        expect(NAMES).toContain(element.tagName);
        for (const { name, value } of element.attributes) {
          expect(ATTRIBUTES).toContain(name);
          if (name === "href") expect(value).toMatch(/^(?:https?:|mailto:)/);
          if (name === "src") expect(value).toMatch(/^data:image\/(?:png|jpeg|gif|webp);base64,/);
        }
      }
    });
  }

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
