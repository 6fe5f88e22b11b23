/// The style sheet and the script of the status page. The content security policy allows the page to load files only
/// from the worker.
package enum StatusAssets {
    package static let style = base + charts

    private static let base = """
        :root { color-scheme: light dark; --ink: #1c1d1f; --soft: #5b6068; --line: #d9dce1; --ground: #fff; --band: #f5f6f8;
          --bad: #a3160c; --worry: #7a4b00; --link: #0b57a4; }
        @media (prefers-color-scheme: dark) { :root { --ink: #e6e7e9; --soft: #a3a8b0; --line: #34383e; --ground: #16181b;
          --band: #1e2125; --bad: #ff8d80; --worry: #f0b95a; --link: #84bdf5; } }
        * { box-sizing: border-box; }
        body { margin: 0 auto; padding: 1.5rem 1.5rem 2rem; max-width: 80rem; color: var(--ink); background: var(--ground);
          font: 14px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
          font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
        h1 { margin: 0; font-size: 1.7rem; line-height: 1.2; font-weight: 650; letter-spacing: -0.01em; }
        h2 { margin: 2rem 0 0.5rem; font-size: 1rem; font-weight: 650; }
        .trouble h1, li.trouble strong { color: var(--bad); }
        .notice h1, li.notice strong { color: var(--worry); }
        .place { margin: 0.3rem 0 0; color: var(--soft); }
        .place b { color: var(--ink); font-weight: 600; }
        .problems { margin: 1rem 0 0; padding: 0; list-style: none; max-width: 62rem; }
        .problems li { padding: 0.45rem 0; border-top: 1px solid var(--line); }
        .problems li:last-child { border-bottom: 1px solid var(--line); }
        .todo, .since { color: var(--soft); }
        .note { margin: 0.3rem 0; color: var(--soft); }
        dl { display: flex; flex-wrap: wrap; gap: 0.6rem 2rem; margin: 0 0 1rem; }
        dt { color: var(--soft); font-size: 0.86rem; }
        dd { margin: 0; font-weight: 600; }
        .scroll { overflow-x: auto; }
        table { border-collapse: collapse; width: 100%; }
        caption { text-align: left; color: var(--soft); padding-bottom: 0.3rem; font-size: 0.86rem; }
        th, td { padding: 0.28rem 1.2rem 0.28rem 0; text-align: left; vertical-align: top; font-weight: 400;
          border-bottom: 1px solid var(--line); }
        thead th { color: var(--soft); font-size: 0.86rem; white-space: nowrap; vertical-align: bottom; }
        tbody th { font-weight: 600; }
        .text { min-width: 9.5rem; }
        th.text { min-width: 11rem; }
        .number, .word { white-space: nowrap; }
        .number { text-align: right; }
        #worker ~ .scroll { max-width: 42rem; }
        code { font: 0.93em ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
        tr > :last-child { padding-right: 0.2rem; }
        tbody tr:hover { background: var(--band); }
        summary { cursor: pointer; color: var(--link); }
        details[open] summary { margin-bottom: 0.6rem; }
        a { color: var(--link); }
        :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
        footer { display: flex; flex-wrap: wrap; gap: 0.4rem 1.5rem; margin-top: 2rem; padding-top: 0.8rem;
          border-top: 1px solid var(--line); color: var(--soft); }
        footer button { font: inherit; color: var(--link); background: none; border: 0; padding: 0; cursor: pointer;
          text-decoration: underline; }
        footer .lost { color: var(--bad); font-weight: 600; }
        @media (max-width: 40rem) { body { padding: 1rem 1rem 1.5rem; } h1 { font-size: 1.4rem; } dl { gap: 0.5rem 1.3rem; } }

        """

    /// A script that reloads the page every five seconds while it is visible, and replaces its content.
    package static let script = """
        "use strict";
        (() => {
          const seconds = 5;
          const note = document.getElementById("refresh");
          let isPaused = false, timer;
          const button = document.createElement("button");
          button.type = "button";
          note.after(button);
          const clock = () => new Date().toLocaleTimeString();
          function say(text, isLost) {
            if (note.textContent !== text) note.textContent = text;
            note.className = isLost ? "lost" : "";
            button.textContent = isPaused ? "Resume" : "Pause";
          }
          let lost;
          async function refresh() {
            const main = document.getElementById("status");
            const isInUse = main.contains(document.activeElement) || !getSelection().isCollapsed;
            if (document.hidden || isPaused || isInUse) return;
            try {
              const answer = await fetch(location.href, { cache: "no-store", signal: AbortSignal.timeout(4000) });
              if (!answer.ok) throw new Error(String(answer.status));
              const page = new DOMParser().parseFromString(await answer.text(), "text/html");
              const open = [...main.querySelectorAll("details")].map(each => each.open);
              const fresh = page.getElementById("status");
              fresh.querySelectorAll("details").forEach((each, place) => { each.open = open[place]; });
              main.replaceWith(document.adoptNode(fresh));
              document.title = page.title;
              lost = undefined;
              say("The page refreshes every " + seconds + " seconds.", false);
            } catch {
              lost = lost || clock();
              say("This worker has not answered since " + lost + ". The page shows older values.", true);
            }
          }
          function start() {
            clearInterval(timer);
            if (!document.hidden && !isPaused) timer = setInterval(refresh, seconds * 1000);
          }
          button.addEventListener("click", () => {
            isPaused = !isPaused;
            say(isPaused ? "Paused." : "The page refreshes every " + seconds + " seconds.", false);
            start();
            refresh();
          });
          document.addEventListener("visibilitychange", () => { start(); refresh(); });
          say("The page refreshes every " + seconds + " seconds.", false);
          start();
        })();

        """
}
