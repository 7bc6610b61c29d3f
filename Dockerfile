# SPDX-License-Identifier: Apache-2.0
#
# Parvis in a container, with the models beside it:
#
#   docker build -t parvis .
#   docker run --rm parvis check models/tm/tl2.pv
#   docker run --rm -v "$PWD:/work" parvis test /work
FROM debian:12-slim AS build
RUN apt-get update && apt-get install -y --no-install-recommends git make gcc ca-certificates
COPY . /src
WORKDIR /src
RUN make && make install DESTDIR=/out PREFIX=/usr

FROM debian:12-slim
RUN apt-get update && apt-get install -y --no-install-recommends \
        libz3-4 libjansson4 libxxhash0 libxml2 libedit2 zlib1g libstdc++6 gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /out /
WORKDIR /work
ENTRYPOINT ["parvis"]
CMD ["help"]
