"""An agent's document without a fault, and small changes to it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import yaml

from bitte_nb.spec.finding import Finding

Change = Callable[[dict[str, Any]], None]

_GOOD = """
openapi: 3.1.0
info:
  title: Order desk
  version: 1.0.0
  description: Keeps the orders of one shop and prepares their payment on NEAR. It ships nothing.
servers: [{url: https://orders.shop.dev}]
security: []
tags: [{name: orders, description: Orders of the shop and how they are paid.}]
x-mb:
  account-id: shop.near
  email: desk@shop.dev
  assistant:
    name: Order desk
    description: Lists, places and cancels orders, and prepares their payment on NEAR.
    instructions: |-
      You run the order desk of one shop. Call list-orders to see what was ordered before you change anything.
      To pay, call prepare-payment, then pass its payload to generate-transaction. The payload alone pays nothing.
    tools: [{type: generate-transaction}]
    image: https://shop.dev/desk.png
    repo: https://code.shop.dev/desk
    version: '1'
    categories: [Shops]
    chainIds: [1, 8453]
paths:
  /orders:
    get:
      operationId: list-orders
      tags: [orders]
      summary: List the orders
      description: Lists the newest orders with their ids and states. Use it when the person asks what was ordered.
      parameters:
        - name: limit
          in: query
          description: The greatest number of orders to list.
          schema: {type: integer, minimum: 1, maximum: 50, default: 10}
      responses:
        '200':
          description: The orders.
          content:
            application/json:
              schema: {type: array, items: {$ref: '#/components/schemas/Order'}}
        '400': {$ref: '#/components/responses/Refused'}
    post:
      operationId: place-order
      tags: [orders]
      summary: Place an order
      description: Places an order for one article and answers with its id. Use it once the person has confirmed.
      x-openai-isConsequential: true
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [article]
              properties:
                article: {type: string, description: 'Name of the article, as the person gave it.', example: red lamp}
                count: {type: integer, description: 'How many pieces, at least one.', minimum: 1, default: 1}
      responses:
        '201':
          description: The order.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Order'}
        '400': {$ref: '#/components/responses/Refused'}
  /orders/{orderId}:
    delete:
      operationId: cancel-order
      tags: [orders]
      summary: Cancel an order
      description: Cancels one order that was not sent yet. Use it when the person changes their mind. It is permanent.
      x-openai-isConsequential: true
      parameters:
        - name: orderId
          in: path
          required: true
          description: Id of the order, as list-orders gave it. Do not guess.
          schema: {type: string, pattern: '^order-[0-9]+$'}
      responses:
        '204': {description: The order is cancelled.}
        '404': {$ref: '#/components/responses/Refused'}
  /payments/{orderId}:
    get:
      operationId: prepare-payment
      tags: [orders]
      summary: Prepare a payment
      description: Builds the NEAR transfer of one order; pays nothing itself. Use it before generate-transaction.
      x-openai-isConsequential: false
      parameters:
        - name: orderId
          in: path
          required: true
          description: Id of the order, as list-orders gave it. Do not guess.
          schema: {type: string, pattern: '^order-[0-9]+$'}
        - name: tip
          in: query
          description: Tip to add, in human-readable NEAR (not yoctoNEAR), as a plain decimal.
          schema: {type: string, pattern: '^[0-9.]+$', example: '0.1'}
      responses:
        '200':
          description: The transfer, ready for generate-transaction.
          content:
            application/json:
              schema: {$ref: '#/components/schemas/Payment'}
        '404': {$ref: '#/components/responses/Refused'}
components:
  responses:
    Refused:
      description: Why the request was refused.
      content:
        application/json:
          schema: {type: object, properties: {error: {type: string, description: What to do.}}}
  schemas:
    Order:
      type: object
      properties:
        orderId: {type: string, description: Id of the order.}
        article: {type: string, description: Name of the article.}
        status: {type: string, description: 'State of the order: open, sent or cancelled.'}
    Payment:
      type: object
      properties:
        receiverId: {type: string, description: Account of the shop.}
        actions:
          type: array
          description: The transfer.
          items: {type: object, properties: {type: {type: string}, deposit: {type: string}}}
"""
_TREE = yaml.safe_load(_GOOD)

LIST = "/paths/~1orders/get"
PLACE = "/paths/~1orders/post"
CANCEL = "/paths/~1orders~1{orderId}/delete"
PAY = "/paths/~1payments~1{orderId}/get"
BODY = f"{PLACE}/requestBody/content/application~1json/schema"
ASSISTANT = "/x-mb/assistant"


def good() -> dict[str, Any]:
    return copy.deepcopy(_TREE)


def good_text() -> str:
    return _GOOD


def _steps(at: str) -> list[str]:
    return [step.replace("~1", "/").replace("~0", "~") for step in at.split("/")[1:]]


def _owner(tree: Any, steps: list[str]) -> Any:
    for step in steps[:-1]:
        tree = tree[int(step)] if isinstance(tree, list) else tree[step]
    return tree


def put(at: str, value: Any) -> Change:
    def change(tree: dict[str, Any]) -> None:
        steps = _steps(at)
        owner = _owner(tree, steps)
        if isinstance(owner, list):
            index = len(owner) if steps[-1] == "-" else int(steps[-1])
            owner[index : index + 1] = [copy.deepcopy(value)]
        else:
            owner[steps[-1]] = copy.deepcopy(value)

    return change


def drop(at: str) -> Change:
    def change(tree: dict[str, Any]) -> None:
        steps = _steps(at)
        owner = _owner(tree, steps)
        del owner[int(steps[-1]) if isinstance(owner, list) else steps[-1]]

    return change


def rename(at: str, name: str) -> Change:
    def change(tree: dict[str, Any]) -> None:
        owner = _owner(tree, _steps(at))
        owner[name] = owner.pop(_steps(at)[-1])

    return change


def all_of(*changes: Change) -> Change:
    def change(tree: dict[str, Any]) -> None:
        for one in changes:
            one(tree)

    return change


def field(name: str, schema: dict[str, Any]) -> Change:
    """One more field in the body of place-order."""
    return put(f"{BODY}/properties/{name}", {"description": "What the person said about it, in words.", **schema})


def parameter(node: dict[str, Any], *, at: str = LIST) -> Change:
    """One more parameter, of list-orders by default."""
    base = {"in": "query", "description": "What the person said about it.", "schema": {"type": "string", "enum": ["a"]}}

    def change(tree: dict[str, Any]) -> None:
        _owner(tree, [*_steps(at), "parameters", ""]).append({**base, **node})

    return change


def response(schema: dict[str, Any], *, media: str = "application/json") -> Change:
    """Another schema of the result of list-orders."""
    return put(f"{LIST}/responses/200/content", {media: {"schema": schema}})


def changed(change: Change) -> dict[str, Any]:
    tree = good()
    change(tree)
    return tree


def patched(tree: dict[str, Any], finding: Finding) -> dict[str, Any]:
    """The tree with the finding's patch applied (RFC 6902: add, replace and remove)."""
    out = copy.deepcopy(tree)
    for operation in getattr(finding, "patch", ()):
        (drop(operation["path"]) if operation["op"] == "remove" else put(operation["path"], operation.get("value")))(
            out
        )
    return out
