# syntax=docker/dockerfile:1
# contact-sync: built in one stage, run from another that holds production packages only.
# BASE is any image with Node 24 (and npm, for the stages that install) on Debian.
ARG BASE=docker.io/library/node:24-bookworm-slim

FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json tsconfig.json ./
# No install scripts: every native part comes ready-made inside its package.
RUN ["npm", "ci", "--ignore-scripts", "--omit=optional"]
COPY src ./src
RUN ["npm", "run", "build"]

FROM ${BASE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN ["npm", "ci", "--ignore-scripts", "--omit=dev", "--omit=optional"]

FROM ${BASE}
LABEL org.opencontainers.image.title="contact-sync" \
      org.opencontainers.image.description="Sync connector daemon between contact sources and a Contact Management Service"
ENV NODE_ENV=production \
    CONTACT_SYNC_CONFIG=/config/contact-sync.yaml
WORKDIR /app
COPY package.json ./
COPY config/presets ./config/presets
COPY config/samples ./config/samples
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
# The one thing that is written to; inboxes may lie in it. Configuration is mounted at /config, read-only.
RUN ["node", "-e", "const fs=require('fs');for(const d of ['/state','/config']){fs.mkdirSync(d,{recursive:true});fs.chownSync(d,10001,10001)}"]
VOLUME ["/state"]
USER 10001:10001
STOPSIGNAL SIGTERM
EXPOSE 8080
# No shell and no curl: Node asks itself. The port is that of server.port, 8080 unless PORT says otherwise.
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:'+(process.env.PORT||8080)+'/healthz').then(r=>process.exit(r.ok?0:1),()=>process.exit(1))"]
ENTRYPOINT ["node", "/app/dist/main.js"]
CMD ["start"]
