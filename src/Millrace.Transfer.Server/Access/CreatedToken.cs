namespace Millrace.Transfer.Server;

/// <summary>A token that was just made.</summary>
/// <param name="Token">What is known of it.</param>
/// <param name="Secret">For <c>Authorization: Bearer</c>. It is kept nowhere and cannot be shown again.</param>
public sealed record CreatedToken(TransferToken Token, string Secret);
