<?php

declare(strict_types=1);

namespace Atumpan;

/** What came is not signed by a secret, or not now. It must not be believed. */
final class WebhookVerificationError extends \RuntimeException
{
}
